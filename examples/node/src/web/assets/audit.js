// The node's own log of what was asked and what became of it, and whether the log is whole.

import { chart } from "./chart.js";
import { fill, h, put } from "./dom.js";
import { loaded, page, problem } from "./page.js";
import { visible } from "./visible.js";
import { code, event, many, mark, network, OUTCOME_WORDS, outcome, POINTS, scope, sideEffect, when } from "./words.js";

const A_PAGE = 50;
const FRAME = ["n", "prev", "at", "kind", "hash", "event", "boot"];

/** The node lets few read the log at once: who is told to wait asks again. */
function patient(call) {
  return async (method, params) => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await call(method, params);
      } catch (error) {
        if (error.code !== "too_many_requests" || tries === 4) throw error;
        await new Promise((again) => setTimeout(again, 500 * (tries + 1)));
      }
    }
  };
}

export function auditPage(node) {
  const call = patient(node.call);
  const chain = h("div", { class: "chain" });
  const picture = h("div");
  const list = h("ol", { class: "records", "aria-label": "Records, newest first" });
  const more = h("button", { type: "button", class: "quiet", hidden: true }, "Show older records");
  const said = h("p", { class: "told", role: "status" });
  const outcomes = h("select", { id: "audit-outcome" }, h("option", { value: "" }, "any"), OUTCOME_WORDS.map((word) => h("option", { value: word }, outcome(word).title)));
  const kind = h("select", { id: "audit-kind" }, h("option", { value: "" }, "everything"), h("option", { value: "call" }, "what was asked for"), h("option", { value: "administrative" }, "what people did here"));
  const capability = h("input", { id: "audit-capability", autocomplete: "off", autocapitalize: "none", spellcheck: "false", placeholder: "web.fetch" });
  let next = null;

  const verify = loaded(chain, () => call("assistant.audit", { verify: true }), (found) => [
    h("p", { class: found.intact ? "notice good" : "notice bad", "data-intact": String(found.intact) },
      found.intact
        ? `The log is whole: ${many(found.records, "record")}, each sealed onto the one before.`
        : `The log was damaged or changed${found.first_bad ? `, first at record ${found.first_bad}` : ""}. Keep a copy, and do not trust what comes after.`),
    found.head && h("details", {}, h("summary", {}, "Seal of the last record"), h("pre", { tabindex: "0", dir: "ltr" }, visible(typeof found.head === "string" ? found.head : JSON.stringify(found.head)))),
  ]);
  const draw = loaded(picture, () => call("assistant.audit", { stats: true }), chart);

  async function read(fresh) {
    const wanted = { last: A_PAGE, outcome: outcomes.value, kind: kind.value, capability: capability.value.trim(), before: fresh ? null : next };
    const params = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
    list.setAttribute("aria-busy", "true");
    try {
      const answer = await call("assistant.audit", params);
      if (fresh) fill(list);
      put(list, answer.records.map(record));
      next = answer.next ?? null;
      more.hidden = next === null;
      fill(said, list.childElementCount === 0 ? "No record fits." : `${many(list.childElementCount, "record")} shown.`);
    } catch (error) {
      fill(said, problem(error));
    }
    list.removeAttribute("aria-busy");
  }
  const refresh = () => read(true);
  /** One after the other, what is looked for most first. */
  const all = async () => {
    await refresh();
    await draw();
    await verify();
  };
  for (const control of [outcomes, kind, capability]) control.addEventListener("change", refresh);
  more.addEventListener("click", () => read(false));

  const element = page(
    "audit",
    "Audit",
    "Every request of a model and every decision of yours, written down by the node itself. It holds no words, values or results: only names, outcomes, sizes and times.",
    chain,
    h("p", { class: "actions" }, h("button", { type: "button", class: "quiet", onclick: all }, "Check again")),
    h("h2", {}, "Where requests ended, over time"),
    picture,
    h("h2", {}, "Records"),
    h(
      "div",
      { class: "filters", role: "search", "aria-label": "Choose records" },
      h("div", {}, h("label", { for: "audit-kind" }, "Kind"), kind),
      h("div", {}, h("label", { for: "audit-outcome" }, "How it ended"), outcomes),
      h("div", {}, h("label", { for: "audit-capability" }, "Capability"), capability),
    ),
    said,
    list,
    h("p", { class: "actions" }, more),
  );
  return {
    element,
    opened: all,
  };
}

function record(one) {
  return h("li", { class: "record", "data-n": one.n }, one.kind === "call" ? ofCall(one) : ofEvent(one), h("p", { class: "muted" }, `${when(one.at)} · record ${one.n}`));
}

function ofCall(one) {
  const ended = one.mark === "end";
  const { title, tone } = ended ? outcome(one.outcome) : { title: mark(one.mark), tone: "plain" };
  const name = one.version ? `${one.capability}@${one.version}` : `something that is not installed (a name of ${many(one.name_bytes ?? 0, "byte")})`;
  const stage = Object.fromEntries(POINTS)[one.point] ?? one.point;
  const facts = [
    `asked by: ${scope(one.caller).title}`,
    one.side_effect && sideEffect(one.side_effect),
    one.network && network(one.network),
    `stage: ${stage} (${one.point})`,
    one.code && `reason: ${code(one.code)} (${one.code})`,
    one.changed !== undefined && (one.changed ? "changed something" : "changed nothing"),
    `${many(one.argument_bytes, "byte")} in, ${many(one.result_bytes, "byte")} out`,
    `${(one.took_us / 1000).toFixed(1)} ms`,
  ];
  return [
    h("p", { class: "receipt-head" }, h("b", {}, name), h("span", { class: `tag ${tone}` }, title)),
    h("p", {}, facts.filter(Boolean).join(" · ")),
    h("p", { class: "muted audit-id" }, "Audit id ", h("code", {}, visible(one.id))),
  ];
}

function ofEvent(one) {
  const details = Object.entries(one).filter(([name]) => !FRAME.includes(name));
  const text = details.map(([name, value]) => `${name.replaceAll("_", " ")}: ${visible(typeof value === "object" ? JSON.stringify(value) : value)}`);
  return [h("p", { class: "receipt-head" }, h("b", {}, event(one.event)), h("span", { class: "tag plain" }, "here")), text.length > 0 && h("p", {}, text.join(" · "))];
}
