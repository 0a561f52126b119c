// The one channel between the chat frame and this page. The frame may say `chat:request` and
// `chat:cancel`; everything else it says is dropped. The page passes the words on and no category,
// capability or decision beside them: what a caller may do is resolved on the node, from its session.

import { turnError } from "./words.js";

const MAX_TEXT = 32 * 1024;
/** How many messages a frame may send within that time; a person types fewer. */
const RATE = 10;
const RATE_MS = 10_000;

const SHAPES = { "chat:request": "id,text,type", "chat:cancel": "id,type" };

/** What the frame said, when it is one of the two things that it may say; else null. */
export function heard(data) {
  if (data === null || typeof data !== "object" || !Object.hasOwn(SHAPES, data.type)) return null;
  if (Object.keys(data).sort().join() !== SHAPES[data.type]) return null;
  if (typeof data.id !== "string" || !/^[\w-]{1,64}$/.test(data.id)) return null;
  if (data.type === "chat:cancel") return { type: data.type, id: data.id };
  if (typeof data.text !== "string" || data.text.length > MAX_TEXT || !data.text.trim()) return null;
  return { type: data.type, id: data.id, text: data.text };
}

export class Bridge {
  #frame;
  #origin;
  #call;
  #outstanding;
  #requests = new Map();
  #sent = [];

  /** `outstanding` is told when a message met a decision that is still open. */
  constructor(frame, origin, call, outstanding) {
    this.#frame = frame;
    this.#origin = origin;
    this.#call = call;
    this.#outstanding = outstanding;
    window.addEventListener("message", (event) => this.#receive(event));
  }

  #receive(event) {
    if (event.origin !== this.#origin) return;
    if (event.source !== this.#frame.contentWindow) return;
    const said = heard(event.data);
    if (said?.type === "chat:request") this.#ask(said);
    if (said?.type === "chat:cancel") this.#cancel(said.id);
  }

  #post(message) {
    this.#frame.contentWindow?.postMessage(message, this.#origin);
  }

  async #ask({ id, text }) {
    if (this.#requests.has(id)) return;
    const now = performance.now();
    this.#sent = this.#sent.filter((at) => now - at < RATE_MS);
    // a frame that was taken over must not use up what the session may call, or choose when the page asks
    if (this.#requests.size > 0 || this.#sent.length >= RATE) {
      const error = this.#requests.size > 0 ? "The message before is still being answered." : "Too many messages at once.";
      this.#post({ type: "chat:response", id, success: false, error });
      return;
    }
    this.#sent.push(now);
    const request = { id, text, turn: null, stop: false, call: new AbortController() };
    this.#requests.set(id, request);
    this.#status(request, "thinking");
    try {
      const answer = await this.#call("assistant.chat", { text }, request.call.signal);
      this.#bind(request, answer.turn);
      if (answer.state === "finished") this.#finish(request, answer);
      else this.#status(request, "decision_outstanding");
    } catch (error) {
      // let go of, since the stream tells the rest
      if (request.call.signal.aborted) return;
      // one line that the node wrote for a person, never an exception as it was thrown
      this.#fail(request, error.message);
      if (error.code === "decision_outstanding") this.#outstanding(error.data?.pending);
    }
  }

  #bind(request, turn) {
    if (request.turn !== null || typeof turn !== "string") return;
    request.turn = turn;
    if (request.stop) this.#stop(request);
  }

  #cancel(id) {
    const request = this.#requests.get(id);
    if (!request) return;
    request.stop = true;
    if (request.turn !== null) this.#stop(request);
  }

  async #stop(request) {
    try {
      await this.#call("assistant.cancel", { turn: request.turn });
      this.#fail(request, "Stopped.");
    } catch (error) {
      this.#fail(request, error.message);
    }
  }

  #status(request, status) {
    if (this.#requests.has(request.id)) this.#post({ type: "chat:status", id: request.id, status });
  }

  #fail(request, error) {
    if (!this.#requests.delete(request.id)) return;
    this.#post({ type: "chat:response", id: request.id, success: false, error });
  }

  #finish(request, { report, cancelled }) {
    if (cancelled) return this.#fail(request, "Stopped.");
    if (!this.#requests.delete(request.id)) return;
    const { text = "", error } = report ?? {};
    const answer = { type: "chat:response", id: request.id, success: !error, text };
    this.#post(error ? { ...answer, error: turnError(error) } : answer);
  }

  /** The request that a turn answers, when it was asked here. */
  #of(turn) {
    return [...this.#requests.values()].find((request) => request.turn === turn);
  }

  /** Whether the frame waits for anything. */
  busy() {
    return this.#requests.size > 0;
  }

  /** Whether this frame asked for that turn and still waits for it. */
  waitsFor(turn) {
    return this.#of(turn) !== undefined;
  }

  /** Passes on what an event of the node means for the frame. */
  hear(event) {
    if (event.type === "state") return this.#resume(event);
    if (event.type === "turn_started") {
      // the words tell it from a turn that another tab began
      const waiting = [...this.#requests.values()].find((request) => request.turn === null && request.text === event.text);
      if (!waiting) return;
      this.#bind(waiting, event.turn);
      // a browser has few connections to one host
      waiting.call.abort();
      return;
    }
    const request = this.#of(event.turn);
    if (!request) return;
    switch (event.type) {
      case "text":
        this.#post({ type: "chat:token", id: request.id, text: String(event.delta) });
        break;
      case "leg_failed":
        this.#status(request, "reset");
        break;
      case "proposed":
        this.#status(request, "working");
        break;
      case "pending":
        this.#status(request, "decision_outstanding");
        break;
      case "settled":
        this.#status(request, "thinking");
        break;
      case "finished":
        this.#finish(request, event);
        break;
    }
  }

  /** After a break in the stream: where a turn stands, or how it ended meanwhile. */
  #resume(state) {
    for (const request of [...this.#requests.values()]) {
      if (request.turn === null) continue;
      if (request.turn === state.last_turn) {
        this.#finish(request, state);
      } else if (request.turn !== state.turn) {
        this.#fail(request, "The node was out of reach when the answer came. History may have it.");
      } else {
        this.#status(request, "reset");
        if (state.text) this.#post({ type: "chat:token", id: request.id, text: state.text });
        this.#status(request, state.state === "awaiting_decision" ? "decision_outstanding" : "thinking");
      }
    }
  }
}
