// What is remembered of earlier turns, and forgetting it.

import { h } from "./dom.js";
import { loaded, page, sure, teller } from "./page.js";
import { sources } from "./receipts.js";
import { prose } from "./visible.js";
import { code, many, outcome, when } from "./words.js";

const ENDS = { failed: "It ended without an answer", cancelled: "It was stopped", interrupted: "The node stopped in the middle of it" };

export function historyPage({ call }) {
  const place = h("div");
  const told = teller();
  const load = loaded(place, () => call("assistant.history", { limit: 100 }), draw);
  const clear = h("button", { type: "button", class: "danger" }, "Forget everything");
  clear.addEventListener("click", async () => {
    const text = "The node forgets every turn and the summary of older ones. The audit log stays: it holds no words. This cannot be undone.";
    if (!(await sure("Forget all of this?", text, "Forget everything"))) return clear.focus();
    try {
      const { removed } = await call("assistant.clear-history");
      told.say(typeof removed === "number" ? `Forgotten: ${many(removed, "turn")}.` : "Forgotten.");
      load();
    } catch (error) {
      told.fail(error);
    }
    clear.focus();
  });
  const element = page(
    "history",
    "History",
    "What this node remembers of your conversation, for the next answer. It stays on this node. Values about money and files are never kept.",
    h("p", { class: "actions" }, clear),
    told.element,
    place,
  );
  return { element, opened: load };
}

function draw({ turns, summary }) {
  if (!turns?.length && !summary) return h("p", { class: "empty" }, "Nothing is remembered.");
  return [
    h("ol", { class: "past", "aria-label": "Turns, newest first" }, [...turns].reverse().map(past)),
    summary && h("section", { class: "card" }, h("h2", {}, "Summary of older turns"), h("p", { class: "words", dir: "auto" }, excerpt(summary.text))),
  ];
}

function excerpt(one) {
  if (typeof one === "string") return prose(one);
  const cut = one?.of_chars ? `\n… (cut; ${one.of_chars} characters in all)` : "";
  return prose(one?.text ?? "") + cut;
}

function past(turn) {
  const calls = (turn.calls ?? []).map((one) => {
    const { title, tone } = outcome(one.outcome);
    return h(
      "li",
      {},
      h("b", {}, one.capability ? `${one.capability}@${one.version}` : "something that is not installed"), " ",
      h("span", { class: `tag ${tone}` }, title),
      one.code && h("span", { class: "muted" }, ` ${code(one.code)}`),
      one.audit_id && h("span", { class: "muted audit-id" }, " ", h("code", {}, one.audit_id)),
    );
  });
  return h(
    "li",
    { class: "card" },
    h("p", { class: "muted" }, when(turn.at)),
    h("p", { class: "question", dir: "auto" }, excerpt(turn.user)),
    h("p", { class: "words", dir: "auto" }, excerpt(turn.assistant)),
    ENDS[turn.end] && h("p", { class: "notice look" }, `${ENDS[turn.end]}${turn.code ? ` (${turn.code})` : ""}.`),
    calls.length > 0 && h("ul", { class: "past-calls" }, calls),
    (turn.calls ?? []).map((one) => sources(one.citations)),
  );
}
