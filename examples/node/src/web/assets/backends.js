// Who may answer, in the order in which they are asked.

import { h } from "./dom.js";
import { loaded, page } from "./page.js";
import { prose, visible } from "./visible.js";

const NAMES = { ollama: "Ollama", openai: "OpenAI-compatible server", claude: "Claude", routstr: "Routstr", keyword: "Word matching, no model", scripted: "A script, for tests" };
const READY = ["ready", "ok", "healthy"];

export function backendsPage({ call }) {
  const place = h("div");
  const load = loaded(place, () => call("assistant.backends"), ({ legs }) =>
    legs.length === 0
      ? h("p", { class: "empty" }, "No backend is set up.")
      : h("ol", { class: "cards one legs" }, legs.map(leg)),
  );
  const element = page(
    "backends",
    "Backends",
    "Who answers, in this order: models at home first, then models elsewhere if the policy lets them, then word matching without any model. Who was passed over, and why, stands beside each answer.",
    h("p", {}, h("button", { type: "button", class: "quiet", onclick: load }, "Look again")),
    place,
  );
  return { element, opened: load };
}

function leg(one) {
  const ready = READY.includes(one.state);
  return h(
    "li",
    { class: "card", "data-leg": one.id },
    h("div", { class: "receipt-head" }, h("h3", {}, NAMES[one.id] ?? one.id), h("span", { class: `tag ${ready ? "good" : "stop"}` }, ready ? "ready" : String(one.state).replaceAll("_", " "))),
    h(
      "dl",
      { class: "facts" },
      h("dt", {}, "Name"), h("dd", {}, h("code", {}, one.id)),
      one.model && [h("dt", {}, "Model"), h("dd", {}, visible(one.model))],
      h("dt", {}, "Where"), h("dd", {}, one.locality === "remote" ? "not on this device" : "on this device"),
      one.receiver && [h("dt", {}, "Goes to"), h("dd", { dir: "ltr", class: "exact" }, visible(one.receiver))],
      one.reason && [h("dt", {}, "Says"), h("dd", {}, prose(one.reason))],
    ),
  );
}
