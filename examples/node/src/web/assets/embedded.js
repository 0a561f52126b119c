// The frame's way to the node page that holds it: words out, words in, nothing else.

import { meta } from "./dom.js";

/** How long nothing at all may come; every sign of progress starts it again. */
export const PATIENCE_MS = 180_000;

const PAGE = `http://127.0.0.1:${location.port}`;
const waiting = new Map();

export const embedded = window.parent !== window && meta("surface") === "frame";

/**
 * Sends one message; resolves to the answer's text. Rejects with a plain `Error` when the node says
 * no, when nothing comes for too long, and when `signal` aborts and the node has stopped.
 */
export function sendChat(text, { onToken, onStatus, signal }) {
  const id = crypto.randomUUID();
  return new Promise((resolve, reject) => {
    const entry = { timer: null };
    const end = (settle, value) => {
      clearTimeout(entry.timer);
      waiting.delete(id);
      settle(value);
    };
    entry.progress = () => {
      clearTimeout(entry.timer);
      entry.timer = setTimeout(() => {
        post({ type: "chat:cancel", id });
        end(reject, new Error("No sign of an answer for three minutes."));
      }, PATIENCE_MS);
    };
    entry.hear = (data) => {
      entry.progress();
      if (data.type === "chat:token") onToken(String(data.text));
      if (data.type === "chat:status") onStatus(String(data.status));
      if (data.type !== "chat:response") return;
      if (data.success === true) end(resolve, String(data.text ?? ""));
      else end(reject, new Error(String(data.error ?? "There is no answer.")));
    };
    waiting.set(id, entry);
    entry.progress();
    signal.addEventListener("abort", () => post({ type: "chat:cancel", id }));
    post({ type: "chat:request", id, text });
  });
}

function post(message) {
  window.parent.postMessage(message, PAGE);
}

if (embedded) {
  window.addEventListener("message", (event) => {
    if (event.origin !== PAGE) return;
    if (event.source !== window.parent) return;
    const data = event.data;
    if (data === null || typeof data !== "object" || typeof data.id !== "string") return;
    waiting.get(data.id)?.hear(data);
  });
}
