// Which capabilities are switched on on this device, and whether words may go to a model elsewhere.

import { h } from "./dom.js";
import { loaded, page, teller, toggle } from "./page.js";
import { prose, visible } from "./visible.js";
import { network, sideEffect } from "./words.js";

const REMOTE = [
  ["never", "Never", "Only models on this device answer. Without one, words are matched to what is installed."],
  ["ask", "Ask me", "Before a turn goes to a model elsewhere you are asked, and see who would get what. Where nobody can be asked it means no."],
  ["always", "Always", "When no model at home answers, turns go to the model elsewhere without asking. Each time is written into the audit log."],
];

export function policyPage({ call, operator }) {
  const remote = h("div");
  const switches = h("div");
  const told = teller();

  const load = async () => {
    const answer = call("assistant.policy-get");
    await Promise.all([
      loaded(remote, () => answer, (policy) => remoteChoice(policy.remote_inference))(),
      loaded(switches, () => answer, (policy) => [stale(policy.stale), rows(policy.capabilities)])(),
    ]);
  };

  function remoteChoice(now) {
    const options = REMOTE.map(([word, title, meaning]) => {
      const input = h("input", { type: "radio", name: "remote", value: word, id: `remote-${word}`, checked: word === now, disabled: !operator });
      input.addEventListener("change", async () => {
        try {
          await call("assistant.policy-set", { remote_inference: word });
          told.say(`Models elsewhere: ${title.toLowerCase()}.`);
        } catch (error) {
          told.fail(error);
          load();
        }
      });
      return h("li", { class: "option" }, input, h("label", { for: `remote-${word}` }, h("b", {}, title), h("span", { class: "muted" }, meaning)));
    });
    return h("fieldset", { class: "card" }, h("legend", {}, "Models that are not on this device"), h("ul", { class: "options" }, options));
  }

  function rows(capabilities) {
    return h(
      "ul",
      { class: "cards one" },
      capabilities.map((one) =>
        h(
          "li",
          { class: "card row-card", "data-capability": one.name },
          h(
            "div",
            {},
            h("h3", {}, h("code", {}, `${one.name}@${one.version}`)),
            h("p", { class: "muted" }, [one.side_effect && sideEffect(one.side_effect), one.network && network(one.network), one.source && prose(one.source)].filter(Boolean).join(" · ")),
          ),
          toggle(`${one.name} version ${one.version}`, one.enabled, operator, async (wanted) => {
            try {
              await call("assistant.policy-set", { target: `${one.name}@${one.version}`, enabled: wanted });
              told.say(`${one.name} is switched ${wanted ? "on" : "off"}.`);
            } catch (error) {
              told.fail(error);
              throw error;
            }
          }),
        ),
      ),
    );
  }

  const element = page(
    "policy",
    "Policy",
    "Switches of this device. What only looks and stays at home is on; what changes something or leaves your home is off until you switch it on.",
    !operator && h("p", { class: "notice" }, "You can look at this; an operator can change it."),
    told.element,
    remote,
    h("h2", {}, "Switches"),
    switches,
  );
  return { element, opened: load };
}

function stale(entries) {
  if (!entries?.length) return null;
  const name = (entry) => `${visible(entry.name)}@${entry.version} ${entry.why === "not_installed" ? "is not installed" : "reaches further than it did"}`;
  const text = entries.map(name).join("; ");
  return h("p", { class: "notice look" }, `Switches without effect, since what they were set for changed: ${text}`);
}
