// What really ran, from the node's own records, never from a model's words.

import { h } from "./dom.js";
import { json, openable, prose, visible } from "./visible.js";
import { code, outcome } from "./words.js";

const SHOWN = 4000;

/** One receipt, with what it gave when that is known here. */
export function receiptCard(receipt, result) {
  const { title, tone, meaning } = outcome(receipt.outcome);
  const name = receipt.capability ? `${receipt.capability}@${receipt.version}` : "something that is not installed";
  const changed = { true: "It changed something.", false: "It changed nothing." }[String(receipt.changed)];
  return h(
    "li",
    { class: `receipt ${tone}`, "data-audit-id": receipt.audit_id, "data-outcome": receipt.outcome },
    h("p", { class: "receipt-head" }, h("b", {}, name), h("span", { class: `tag ${tone}` }, title)),
    h("p", { class: "muted" }, meaning, receipt.code && ` Reason: ${code(receipt.code)} (${receipt.code}).`, changed && ` ${changed}`),
    result !== undefined && result !== null && figures(result),
    h("p", { class: "muted audit-id" }, "Audit id ", h("code", {}, receipt.audit_id)),
  );
}

function figures(result) {
  const text = json(result);
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… (${text.length} characters in all)` : text;
  const flat = Object.entries(Object(result)).filter(([, value]) => ["number", "string", "boolean"].includes(typeof value));
  const short = flat.filter(([, value]) => String(value).length <= 200);
  return [
    short.length > 0 &&
      h("dl", { class: "figures" }, short.map(([name, value]) => [h("dt", {}, label(name)), h("dd", { dir: "auto" }, figure(name, value))])),
    h("details", {}, h("summary", {}, "Exactly as it was given"), h("pre", { dir: "ltr", tabindex: "0" }, cut)),
  ];
}

const label = (name) => visible(name.replace(/_(bytes|percent)$/, "").replaceAll("_", " "));

/** A figure as it stands, and beside it in a unit that people use. */
function figure(name, value) {
  if (typeof value !== "number") return visible(value);
  if (name.endsWith("_percent")) return `${value} %`;
  return name.endsWith("_bytes") ? `${value} (${size(value)})` : String(value);
}

/** Bytes as a person says them. */
export function size(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let n = bytes;
  let unit = 0;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? n : n.toFixed(1)} ${units[unit]}`;
}

/** Where results come from. What opens is what is shown, and only when somebody clicks. */
export function sources(citations) {
  if (!citations?.length) return null;
  const items = citations.map((citation) => {
    const href = openable(citation.url);
    const link = href
      ? h("a", { href, target: "_blank", rel: "noopener noreferrer", referrerpolicy: "no-referrer", dir: "ltr", class: "exact" }, href)
      : h("span", { dir: "ltr", class: "exact" }, visible(citation.url), h("span", { class: "muted" }, " (not an address that this page opens)"));
    return h("li", {}, citation.title && h("span", { class: "cited", dir: "auto" }, visible(citation.title)), link);
  });
  return [h("h3", {}, "Sources"), h("ul", { class: "sources" }, items)];
}

/** Who answered, and who was passed over and why. */
export function answeredBy(backend) {
  if (!backend) return null;
  const where = backend.locality === "remote" ? "not on this device" : "on this device";
  const model = backend.model ? `model ${visible(backend.model)}, ` : "no model, ";
  const who = backend.id ? `Answered by ${backend.id} (${model}${where}).` : "Nobody answered.";
  return [
    h("p", { class: "answered" }, who),
    backend.skipped?.length > 0 &&
      h("ul", { class: "skipped" }, backend.skipped.map((one) => h("li", {}, `${one.id} was passed over: ${prose(one.reason)}`))),
  ];
}
