// What is installed, and who may use which kind of it.

import { h } from "./dom.js";
import { loaded, page, teller, toggle } from "./page.js";
import { prose } from "./visible.js";
import { category, network, scope, sideEffect } from "./words.js";

export function capabilitiesPage({ call, operator }) {
  const tools = h("div");
  const grants = h("div");
  const told = teller();

  const loadTools = loaded(tools, () => call("assistant.list-tools"), (answer) => toolCards(answer.tools));
  const loadGrants = loaded(grants, () => call("assistant.grants-get"), (answer) =>
    answer.scopes.map((one) => scopeTable(one)),
  );

  function scopeTable({ scope: who, categories }) {
    const { title, meaning } = scope(who);
    const rows = categories.map(({ category: word, held, meaning: given }) => {
      const { title: name, meaning: usual } = category(word);
      const knob = toggle(`${name} for: ${title}`, held, operator, async (wanted) => {
        try {
          await call("assistant.grants-set", { scope: who, category: word, held: wanted });
          told.say(wanted ? `${title}: ${name} is granted now.` : `${title}: ${name} is taken back.`);
          loadTools();
        } catch (error) {
          told.fail(error);
          throw error;
        }
      });
      return h(
        "li",
        { class: "grant", "data-scope": who, "data-category": word },
        h("div", {}, h("b", {}, name), " ", h("code", {}, word), h("p", { class: "muted" }, given || usual)),
        knob,
      );
    });
    return h("section", { class: "card" }, h("h3", {}, title), h("p", { class: "muted" }, meaning), h("ul", { class: "grants" }, rows));
  }

  const element = page(
    "capabilities",
    "Capabilities & grants",
    "What is installed on this node, and which kinds of it may be used at all. Apart from looking at this machine, everything is closed until you open it here.",
    h(
      "div",
      { class: "notice" },
      h("b", {}, "What a grant means. "),
      "It lets a kind of caller ask for a kind of thing. It approves nothing: what changes something or leaves your home is still asked of you each time, and a switch under Policy can turn it off on this device.",
    ),
    !operator && h("p", { class: "notice" }, "You can look at this; an operator can change it."),
    h("h2", {}, "Grants"),
    told.element,
    grants,
    h("h2", {}, "Installed capabilities"),
    tools,
  );
  return {
    element,
    opened() {
      loadTools();
      loadGrants();
    },
  };
}

function toolCards(tools) {
  if (tools.length === 0) return h("p", { class: "empty" }, "Nothing is installed.");
  return h(
    "ul",
    { class: "cards" },
    tools.map((tool) =>
      h(
        "li",
        { class: "card", "data-tool": `${tool.name}@${tool.version}` },
        h("h3", {}, h("code", {}, `${tool.name}@${tool.version}`)),
        h("p", {}, tool.description),
        h(
          "ul",
          { class: "tags", "aria-label": "Class" },
          h("li", { class: `tag ${tool.network === "external" ? "out" : "home"}` }, network(tool.network)),
          h("li", { class: `tag ${tool.side_effect === "mutating" ? "change" : "look"}` }, sideEffect(tool.side_effect)),
          h("li", { class: "tag plain" }, category(tool.category).title),
          h("li", { class: "tag plain" }, tool.confirmation === "required" ? "you are asked each time" : "runs without asking"),
        ),
        h("p", { class: tool.allowed ? "verdict yes" : "verdict no" }, tool.allowed ? "A model may ask for it." : "Hidden from models."),
        tool.why.change.length > 0 && h("p", { class: "muted" }, `To change it: ${tool.why.change.map(prose).join(", then ")}.`),
        h("details", {}, h("summary", {}, "Why"), h("pre", { tabindex: "0" }, prose(tool.why.lines.join("\n")))),
      ),
    ),
  );
}
