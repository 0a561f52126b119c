// A picture of where proposals ended, stage by stage, over time; and the same as a table.

import { h, svg } from "./dom.js";
import { briefly, many, outcome, POINTS, when } from "./words.js";

const TONES = [
  ["good", "Done"],
  ["calm", "Not run: you said no, nobody answered, or it was stopped"],
  ["stop", "Not allowed, malformed, or one too many"],
  ["bad", "Failed, or may have happened"],
];
const HEIGHT = 30;
const MOST = 60;

export function chart({ bucket_seconds: seconds, buckets = [], complete = true }) {
  const total = buckets.reduce((sum, one) => sum + one.counts.reduce((n, c) => n + c.count, 0), 0);
  if (total === 0) return h("p", { class: "empty" }, "Nothing has ended yet, so there is nothing to draw.");
  const first = Date.parse(buckets[0].from);
  const at = (bucket) => Math.round((Date.parse(bucket.from) - first) / (seconds * 1000));
  const width = Math.min(MOST, Math.max(12, at(buckets.at(-1)) + 1));
  const cells = buckets.filter((bucket) => at(bucket) < MOST).map((bucket) => ({ x: at(bucket), bucket }));
  const sum = (counts, point, tone) =>
    counts.filter((c) => c.point === point && (!tone || outcome(c.outcome).tone === tone)).reduce((n, c) => n + c.count, 0);
  const highest = Math.max(...cells.flatMap(({ bucket }) => POINTS.map(([point]) => sum(bucket.counts, point))));

  const rows = POINTS.map(([point, name]) => {
    const ended = buckets.reduce((n, one) => n + sum(one.counts, point), 0);
    const bars = cells.flatMap(({ x, bucket }) => {
      let base = HEIGHT;
      return TONES.map(([tone]) => {
        const count = sum(bucket.counts, point, tone);
        if (count === 0) return null;
        const tall = Math.max(2, (count / highest) * (HEIGHT - 2));
        base -= tall;
        return svg("rect", { class: `bar ${tone}`, x: x + 0.1, y: Math.max(0, base), width: 0.8, height: tall });
      });
    });
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("line", { class: "floor", x1: 0, x2: width, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
      bars,
    );
    return h("div", { class: "stage", "data-point": point }, h("span", { class: "stage-name" }, name), picture, h("span", { class: "stage-sum" }, String(ended)));
  });
  const from = briefly(first);
  const until = briefly(Date.parse(buckets.at(-1).from) + seconds * 1000);
  return [
    h(
      "figure",
      { class: "chart" },
      h("div", { role: "img", "aria-label": `${many(total, "proposal")} ended between ${from} and ${until}; the table below has every figure.` }, rows),
      h("p", { class: "axis muted" }, h("span", {}, from), h("span", {}, until)),
      !complete && h("p", { class: "muted" }, "There is more than a picture holds: what is older is left out."),
      h("figcaption", {}, h("ul", { class: "legend" }, TONES.map(([tone, text]) => h("li", {}, h("span", { class: `dot ${tone}`, "aria-hidden": "true" }), text)))),
    ),
    h("details", {}, h("summary", {}, "The same as a table"), table(buckets)),
  ];
}

function table(buckets) {
  const names = Object.fromEntries(POINTS);
  const rows = [...buckets].reverse().flatMap((bucket) =>
    bucket.counts.map((c) =>
      h("tr", {}, h("td", {}, when(bucket.from)), h("td", {}, names[c.point] ?? c.point), h("td", {}, outcome(c.outcome).title), h("td", { class: "number" }, String(c.count))),
    ),
  );
  const head = ["From", "Where it ended", "How", "How many"].map((word) => h("th", { scope: "col" }, word));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of outcomes" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}
