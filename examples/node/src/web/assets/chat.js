// The chat's place on this page: the frame, and beside it what the node itself says about each turn.

import { Bridge } from "./bridge.js";
import { fill, h, meta, put } from "./dom.js";
import { page } from "./page.js";
import { answeredBy, receiptCard, sources } from "./receipts.js";
import { chosenTheme } from "./theme.js";
import { prose } from "./visible.js";
import { turnError } from "./words.js";

const KEPT = 30;

export function chatPage({ call }) {
  const origin = meta("frame-origin");
  const frame = h("iframe", {
    title: "Chat",
    src: `${origin}/frame#theme=${chosenTheme()}`,
    // no forms, no popups, no downloads, and no way to lead this page elsewhere
    sandbox: "allow-scripts allow-same-origin",
    referrerpolicy: "no-referrer",
    allow: "camera 'none'; microphone 'none'; geolocation 'none'; clipboard-read 'none'",
  });
  const turns = h("ol", { class: "turns", "aria-label": "Turns, newest first" });
  const nothing = h("p", { class: "empty" }, "Nothing was asked yet. What the node really does for an answer appears here, with the id of its record.");
  const element = page(
    "chat",
    "Chat",
    null,
    h("div", { class: "frame-box" }, frame),
    h(
      "aside",
      { "aria-label": "What really ran" },
      h("h2", {}, "What really ran"),
      h("p", { class: "muted" }, "From this node's own records. A model's words cannot change it."),
      nothing,
      turns,
    ),
  );

  let outstanding = () => {};
  const bridge = new Bridge(frame, origin, call, (pending) => outstanding(pending));
  const shown = new Map();

  function turn(id, asked) {
    if (shown.has(id)) return shown.get(id);
    nothing.hidden = true;
    const one = { results: new Map(), mine: false, receipts: h("ul", { class: "receipts" }), end: h("div", { class: "turn-end" }) };
    one.question = h("p", { class: "question", dir: "auto" }, asked ? prose(asked) : "An earlier question");
    one.element = h("li", { class: "turn", "data-turn": id }, one.question, one.receipts, one.end);
    turns.prepend(one.element);
    shown.set(id, one);
    if (shown.size > KEPT) {
      const [oldest, { element: old }] = shown.entries().next().value;
      old.remove();
      shown.delete(oldest);
    }
    fill(one.end, h("p", { class: "muted" }, "Working…"));
    return one;
  }

  function finished(id, { report, cancelled }, mine) {
    const one = turn(id);
    const known = report.receipts ?? [];
    fill(one.receipts, known.map((receipt) => receiptCard(receipt, one.results.get(receipt.audit_id))));
    fill(
      one.end,
      cancelled && h("p", { class: "muted" }, "It was stopped."),
      report.error && h("p", { class: "notice bad" }, turnError(report.error)),
      known.length === 0 && h("p", { class: "muted" }, "Nothing was run for this answer."),
      // an answer that this chat did not ask for, or does not remember after a reload
      !mine && report.text && [h("h3", {}, "Answer"), h("p", { class: "words", dir: "auto" }, prose(report.text))],
      sources(report.citations),
      !cancelled && answeredBy(report.backend),
      report.unsaved && h("p", { class: "notice look" }, `This turn is not in the history: ${prose(report.unsaved)}`),
    );
  }

  return {
    element,
    busy: () => bridge.busy(),
    whenOutstanding: (hear) => (outstanding = hear),
    theme: (choice) => frame.contentWindow?.location.replace(`${origin}/frame#theme=${choice}`),
    hear(event) {
      const mine = bridge.waitsFor(event.turn);
      if (event.type === "state" && event.last_turn) finished(event.last_turn, event, shown.get(event.last_turn)?.mine);
      if (event.type === "state" && event.turn && event.state !== "idle") turn(event.turn);
      if (event.type === "turn_started") turn(event.turn, event.text);
      if (event.type === "settled") {
        const one = turn(event.turn);
        if (event.result !== undefined) one.results.set(event.receipt.audit_id, event.result);
        put(one.receipts, receiptCard(event.receipt, event.result));
      }
      if (event.type === "pending") {
        fill(turn(event.turn).end, h("p", { class: "muted" }, "Waiting for your decision."));
      }
      if (event.type === "finished") finished(event.turn, event, mine || shown.get(event.turn)?.mine);
      bridge.hear(event);
      if (event.type === "turn_started" && bridge.waitsFor(event.turn)) shown.get(event.turn).mine = true;
    },
  };
}
