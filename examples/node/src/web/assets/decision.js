// The question itself: a modal dialog of this page, which the chat frame cannot open, see or press.
// Denying is one key away; approving takes a click, or Space on the focused button, once the
// question has been on the screen for half a second and has been seen to its end.

import { byId, fill, put } from "./dom.js";
import { disclosure } from "./disclosure.js";
import { QUESTION } from "./rpc.js";
import { code, many, outcome } from "./words.js";

/** How long the question must have been painted, in a window that has the focus. */
const INERT_MS = 500;

const SAID_AT = [60, 30, 10];

/** The token that this tab has for that question; it goes with the tab. */
function tokenOf(id) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(QUESTION) ?? "null");
    return kept?.id === id ? kept.token : null;
  } catch {
    return null;
  }
}

function keep(id, token) {
  try {
    if (id === null) sessionStorage.removeItem(QUESTION);
    else sessionStorage.setItem(QUESTION, JSON.stringify({ id, token }));
  } catch {
    // then a reload takes a token of its own
  }
}

/** What a receipt says, in a sentence. */
function became(receipt) {
  const { title, meaning } = outcome(receipt.outcome);
  const why = receipt.code ? ` (${code(receipt.code)})` : "";
  return `What became of it: ${title}${why}. ${meaning}`;
}

export class Decisions {
  #call;
  #changed;
  #dialog = byId("decision");
  #approve = byId("decision-approve");
  #deny = byId("decision-deny");
  #body = byId("decision-body");
  #queue = [];
  #open = null;
  #painted = null;
  #showing = null;
  #seen = false;
  #deciding = false;
  #minimised = false;
  #closedElsewhere = null;
  #hint = "";
  #meanwhile = null;

  /** `changed` hears whether a decision is open. */
  constructor(call, changed = () => {}) {
    this.#call = call;
    this.#changed = changed;
    this.#approve.addEventListener("click", (event) => this.#approved(event));
    this.#deny.addEventListener("click", () => this.#decide("deny"));
    byId("decision-later").addEventListener("click", () => this.#minimise());
    byId("waiting-show").addEventListener("click", () => this.#show());
    this.#dialog.addEventListener("keydown", (event) => this.#key(event));
    // whoever clicks or types in a rhythm has not read it
    for (const kind of ["pointerdown", "keydown"]) {
      this.#dialog.addEventListener(kind, () => this.#painted !== null && !this.#ready() && this.#arm());
    }
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
    // however the browser closed it, an open question does not vanish
    this.#dialog.addEventListener("close", () => this.#banner());
    this.#body.addEventListener("scroll", () => this.#look());
    window.addEventListener("resize", () => this.#look());
    window.addEventListener("blur", () => this.#disarm());
    window.addEventListener("focus", () => this.#arm());
    document.addEventListener("visibilitychange", () => this.#arm());
    setInterval(() => this.#tick(), 500);
  }

  /** A decision that the node says is open; it is asked for, with a token of this page's own. */
  async surface(pending) {
    if (!pending?.id || this.#queue.includes(pending.id)) return;
    this.#queue.push(pending.id);
    if (this.#open === null) await this.#next();
    else this.#more();
  }

  /** Exactly these are open: after a reload, or a break in the stream. The receipts are of the last turn. */
  async only(ids, receipts = []) {
    this.#queue = this.#queue.filter((id) => ids.includes(id));
    if (this.#open?.token && !ids.includes(this.#open.id) && !this.#deciding) {
      const receipt = receipts.find((one) => one.audit_id === this.#open.auditId);
      this.#ended(`It is not open any more. ${receipt ? became(receipt) : ""}`);
    }
    for (const id of ids) await this.surface({ id });
  }

  /** A message met the open question. One that was put aside stays so: a frame must not bring it up. */
  remind(pending) {
    if (this.#open === null) this.surface(pending);
    else fill(byId("news"), "Your message was not sent: a question waits for your answer first.");
  }

  /** The node says that a decision is closed, here or elsewhere. */
  resolved(id, how) {
    this.#queue = this.#queue.filter((other) => other !== id);
    if (this.#open?.id !== id) return this.#more();
    if (this.#deciding) this.#meanwhile = { id, how };
    if (this.#deciding || !this.#open.token) return;
    this.#closedElsewhere = this.#open.auditId;
    // an answer of this page that seemed lost had arrived after all, or another was faster
    const where = this.#hint === "" ? " in another tab or window" : "";
    const ways = {
      approved: `It was approved${where}.`,
      denied: `It was denied${where}.`,
      expired: "Nobody answered in time, so it was not run.",
      withdrawn: "The question was withdrawn, so it was not run.",
    };
    const late = this.#left() <= 0 ? ways.expired : "It was answered in another tab, or withdrawn.";
    this.#ended(ways[how] ?? late);
  }

  /** A receipt may say what became of the question that was closed elsewhere. */
  settled(receipt) {
    if (this.#closedElsewhere !== receipt.audit_id) return;
    this.#closedElsewhere = null;
    put(byId("news"), ` ${became(receipt)}`);
  }

  async #next() {
    const id = this.#queue[0];
    if (id === undefined) return;
    // taken at once, so that two events in a row do not mint two tokens
    this.#open = { id };
    try {
      const { pending, token } = await this.#surfaced(id);
      if (this.#open?.id !== id) return;
      const until = performance.now() + pending.expires_in_seconds * 1000;
      this.#open = { id, token, until, auditId: pending.audit_id, said: [], asked: pending.disclosure };
      this.#draw();
      this.#show();
      this.#changed(true);
    } catch (error) {
      this.#ended(error.code === "not_pending" ? "A question was closed before it could be shown." : error.message);
    }
  }

  /** With the token that this tab has for it since before a reload, or with a new one. */
  async #surfaced(id) {
    const kept = tokenOf(id);
    if (kept) {
      const { pending } = await this.#call("assistant.pending");
      const still = pending.find((one) => one.id === id);
      if (still) return { pending: still, token: kept };
    }
    const surfaced = await this.#call("assistant.pending", { id });
    keep(id, surfaced.token);
    return surfaced;
  }

  #draw() {
    fill(byId("news"));
    const { title, lead, body } = disclosure(this.#open.asked);
    fill(byId("decision-title"), title);
    fill(byId("decision-lead"), lead);
    fill(this.#body, body);
    byId("decision-bar").max = Math.max(1, this.#left());
    this.#seen = false;
    this.#hint = "";
    this.#more();
  }

  #show() {
    if (!this.#open?.token) return;
    this.#minimised = false;
    byId("waiting").hidden = true;
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#body.scrollTop = 0;
    this.#deny.focus();
    this.#arm();
    this.#tick();
  }

  #minimise() {
    this.#minimised = true;
    this.#dialog.close();
    this.#banner();
    this.#tick();
    byId("waiting-show").focus();
  }

  #banner() {
    if (this.#dialog.open) return;
    this.#disarm();
    byId("waiting").hidden = this.#open === null;
  }

  #disarm() {
    this.#painted = null;
    this.#showing = null;
    this.#approve.disabled = true;
    this.#approve.dataset.armed = "no";
  }

  /** Starts the half second over, from the next paint. */
  #arm() {
    this.#disarm();
    if (!this.#dialog.open || document.visibilityState !== "visible" || !document.hasFocus()) return;
    const mine = (this.#showing = Symbol("this showing"));
    // the second frame begins after the first was painted
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (mine !== this.#showing) return;
        this.#painted = performance.now();
        this.#look();
        setTimeout(() => this.#look(), INERT_MS);
      }),
    );
  }

  #ready() {
    return this.#painted !== null && performance.now() - this.#painted >= INERT_MS;
  }

  /** Whether the end of the question has been on the screen, and what is missing before approving. */
  #look() {
    const { scrollTop, clientHeight, scrollHeight } = this.#body;
    if (this.#dialog.open && scrollTop + clientHeight >= scrollHeight - 4) this.#seen = true;
    const state = this.#painted === null || this.#deciding ? "no" : !this.#ready() ? "soon" : this.#seen ? "yes" : "unseen";
    this.#approve.disabled = state !== "yes";
    this.#approve.dataset.armed = state;
    fill(byId("decision-hint"), this.#seen ? this.#hint : "Scroll to the end of the values to approve.");
  }

  /** Enter decides nothing; keys that were meant for something else decide nothing either. */
  #key(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      this.#minimise();
    }
    const presses = event.key === "Enter" || event.key === " ";
    if (event.key === "Enter" && event.target === this.#approve) event.preventDefault();
    if (presses && event.target === this.#deny && !this.#ready()) event.preventDefault();
  }

  #approved(event) {
    if (!event.isTrusted || !this.#ready() || !this.#seen || this.#approve.disabled) return;
    this.#decide("approve");
  }

  async #decide(decision) {
    if (!this.#open?.token || this.#deciding) return;
    this.#deciding = true;
    this.#disarm();
    this.#deny.disabled = true;
    fill(byId("decision-hint"), "Telling the node…");
    const { id, token } = this.#open;
    let said;
    try {
      await this.#call("assistant.confirm-tool", { id, token, decision });
      said = decision === "approve" ? "Approved, this once." : "Denied. It was not run.";
    } catch (error) {
      said = {
        already_resolved: "It had been answered already, in another tab or window. Your click changed nothing.",
        not_pending: "It was not open any more: the time ran out, or it was withdrawn. Nothing was approved.",
      }[error.code];
      if (said === undefined) return this.#unsure(id, error);
    }
    this.#deciding = false;
    this.#ended(said);
  }

  /** No answer came: the question stays, since pressing again is safe, for a token decides once. */
  #unsure(id, error) {
    this.#deciding = false;
    this.#deny.disabled = false;
    if (this.#open?.id !== id) return;
    this.#hint = `${error.message} It is not known whether your answer arrived. Press again: it counts once. The audit log says what became of it.`;
    fill(byId("decision-news"), this.#hint);
    // the node said what became of it, only not in answer to this call
    if (this.#meanwhile?.id === id) return this.resolved(id, this.#meanwhile.how);
    this.#deny.focus();
    this.#arm();
  }

  #ended(said) {
    this.#queue = this.#queue.filter((id) => id !== this.#open?.id);
    this.#open = null;
    keep(null);
    this.#deny.disabled = false;
    this.#disarm();
    if (this.#dialog.open) this.#dialog.close();
    byId("waiting").hidden = true;
    fill(byId("decision-hint"));
    fill(byId("decision-news"), said);
    fill(byId("news"), said);
    this.#changed(false);
    if (this.#queue.length > 0) this.#next();
  }

  #left() {
    return Math.max(0, Math.ceil((this.#open.until - performance.now()) / 1000));
  }

  #more() {
    const more = this.#queue.length - 1;
    fill(byId("decision-more"), more > 0 ? `${many(more, "more is", "more are")} waiting after this one.` : "");
  }

  #tick() {
    if (!this.#open?.token) return;
    const left = this.#left();
    fill(byId("decision-left"), left > 0 ? `${many(left, "second")} left; then the answer is no.` : "The time is up.");
    byId("decision-bar").value = left;
    const title = byId("decision-title").textContent;
    if (this.#minimised) fill(byId("waiting-text"), `A question waits for you: ${title} ${left} s left.`);
    const due = SAID_AT.find((mark) => left <= mark && !this.#open.said.includes(mark));
    if (due !== undefined && left > 0) {
      this.#open.said.push(...SAID_AT.filter((mark) => mark >= due));
      fill(byId("decision-news"), `${many(left, "second")} left to decide.`);
    }
    // a browser that gives the focus back without saying so
    if (this.#showing === null && !this.#deciding) this.#arm();
    if (left === 0 && !this.#deciding) this.#ended("Nobody answered in time, so it was not run.");
  }
}
