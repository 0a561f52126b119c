// What a person is asked, as core rendered it: every value in a row of its own, in full. Core has made
// hidden characters visible; nothing here shortens, links or interprets anything.

import { h } from "./dom.js";
import { category, many, network, sideEffect } from "./words.js";
import { shown } from "./visible.js";

const KINDS = {
  text: "text",
  choice: "choice",
  whole_number: "whole number",
  number: "number",
  yes_or_no: "yes or no",
  list: "list",
  object: "object",
  json: "JSON",
  nothing: "nothing",
};

/** `{title, lead, body}` of a disclosure. */
export function disclosure(asked) {
  return asked.kind === "remote_send" ? remote(asked) : capability(asked);
}

function capability(asked) {
  const leaves = asked.network === "external";
  const changes = asked.side_effect === "mutating";
  const bytes = many(asked.argument_bytes, "byte");
  const to = asked.destination ?? "a service outside this device";
  const facts = [
    ["What leaves", leaves ? `These ${bytes} of values leave this device.` : "Nothing leaves this device."],
    (leaves || asked.destination) && ["Goes to", leaves ? to : asked.destination],
    [
      "What changes",
      !changes ? "It changes nothing." : asked.effect ? `It changes something: ${asked.effect}` : "It changes something.",
    ],
  ].filter(Boolean);
  return {
    title: `Run ${asked.capability}@${asked.version}?`,
    lead: shown(asked.description),
    body: [
      tags([
        [leaves ? "out" : "home", network(asked.network)],
        [changes ? "change" : "look", sideEffect(asked.side_effect)],
        ["plain", `category: ${category(asked.category).title} (${asked.category})`],
      ]),
      list(facts),
      warnings(asked.warnings),
      table(asked.arguments ?? []),
    ],
  };
}

/** A turn that would go to a model elsewhere: who receives it, and what it is, counted by core. */
function remote(asked) {
  const { sends } = asked;
  const parts = [
    `this node's instructions (${many(sends.system_prompt_bytes, "byte")})`,
    sends.capabilities > 0 && `what ${many(sends.capabilities, "capability", "capabilities")} can do`,
    `your words of this turn (${many(sends.request_bytes, "byte")})`,
    sends.earlier_turns > 0 && `${many(sends.earlier_turns, "turn")} before this one`,
    sends.summary && "a summary of turns before those",
    sends.results.length > 0 && `what came of ${sends.results.join(", ")}`,
    asked.results_follow && "later, the results of what you ask it to do in this turn",
  ].filter(Boolean);
  return {
    title: "Send this turn to a model off this device?",
    lead: "If you approve, what is listed here leaves your home. Your yes holds for this turn and this receiver only.",
    body: [
      tags([["out", "leaves this device"]]),
      list([
        ["Goes to", asked.receiver],
        ["Service", asked.backend],
        ["Model", asked.model ?? "not named"],
        ["All of it", many(sends.bytes, "byte")],
      ]),
      warnings(asked.warnings),
      h("h3", {}, "What would be sent"),
      h("ul", { class: "parts" }, parts.map((part) => h("li", { class: "exact" }, shown(part)))),
    ],
  };
}

function tags(words) {
  return h("ul", { class: "tags", "aria-label": "Class" }, words.map(([tone, word]) => h("li", { class: `tag ${tone}` }, word)));
}

function list(facts) {
  const rows = facts.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "ltr", class: "exact" }, shown(value))]);
  return h("dl", { class: "facts" }, rows);
}

function warnings(texts) {
  return (texts ?? []).map((text) => h("p", { class: "notice look" }, `Look twice: ${shown(text)}.`));
}

function table(rows) {
  if (rows.length === 0) return h("p", { class: "muted" }, "It is given no values.");
  const head = ["Name", "Value", "Kind", "Bytes"].map((word) => h("th", { scope: "col" }, word));
  const body = rows.map((row) => {
    const given = row.value !== null && row.value !== undefined;
    return h(
      "tr",
      { "data-name": row.name },
      h("th", { scope: "row", dir: "ltr", class: "exact" }, shown(row.name)),
      h(
        "td",
        { "data-label": "Value" },
        given
          ? h("code", { dir: "ltr", class: "exact value" }, shown(row.value))
          : h("span", { class: "muted value" }, "not given"),
        row.is_default && h("span", { class: "tag plain" }, "by default"),
        warnings(row.warnings),
      ),
      h("td", { "data-label": "Kind", class: "kind" }, KINDS[row.kind] ?? row.kind),
      h("td", { "data-label": "Bytes", class: "bytes" }, String(row.bytes)),
    );
  });
  return h(
    "table",
    { class: "arguments" },
    h("caption", {}, "Every value, as the capability gets it"),
    h("thead", {}, h("tr", {}, head)),
    h("tbody", {}, body),
  );
}
