// What every part of the page has in common.

import { fill, h, put } from "./dom.js";

/** A part with its heading. `address` names it in the menu. */
export function page(address, title, lead, ...children) {
  return h(
    "section",
    { class: `page ${address}` },
    h("div", { class: "intro" }, h("h1", { id: `title-${address}` }, title), lead && h("p", { class: "lead" }, lead)),
    children,
  );
}

/** Something that is asked from the node and drawn; what goes wrong is said in its place. */
export function loaded(place, ask, draw) {
  return async () => {
    place.setAttribute("aria-busy", "true");
    try {
      fill(place, draw(await ask()));
    } catch (error) {
      fill(place, problem(error));
    }
    place.removeAttribute("aria-busy");
  };
}

export const problem = (error) => h("p", { class: "notice bad", role: "alert" }, error.message);

/** Says what a button did, or why it did not. */
export function teller() {
  const element = h("p", { class: "told", role: "status", "aria-live": "polite" });
  return { element, say: (text) => fill(element, text), fail: (error) => fill(element, `That did not work: ${error.message}`) };
}

/** A switch with a name of its own; `change` gets the wanted state and may refuse by rejecting. */
export function toggle(name, on, enabled, change) {
  const knob = h("button", {
    type: "button",
    role: "switch",
    class: "switch",
    "aria-checked": String(on),
    "aria-label": name,
    disabled: !enabled,
  });
  put(knob, h("span", { "aria-hidden": "true" }, on ? "On" : "Off"));
  knob.addEventListener("click", async () => {
    const wanted = knob.getAttribute("aria-checked") !== "true";
    knob.disabled = true;
    try {
      await change(wanted);
      knob.setAttribute("aria-checked", String(wanted));
      fill(knob.firstChild, wanted ? "On" : "Off");
    } catch {
      // who asked has said why
    }
    knob.disabled = !enabled;
    knob.focus();
  });
  return knob;
}

/** Asks before something that cannot be undone. */
export function sure(title, text, yes) {
  return new Promise((answer) => {
    const dialog = h("dialog", { class: "small", "aria-labelledby": "sure-title" });
    const close = (value) => {
      dialog.remove();
      answer(value);
    };
    const no = h("button", { type: "button", onclick: () => close(false) }, "Keep it");
    put(
      dialog,
      h(
        "div",
        { class: "sheet" },
        h("h2", { id: "sure-title" }, title),
        h("p", {}, text),
        h("div", { class: "choices" }, no, h("button", { type: "button", class: "danger", onclick: () => close(true) }, yes)),
      ),
    );
    dialog.addEventListener("cancel", () => close(false));
    document.body.append(dialog);
    dialog.showModal();
    no.focus();
  });
}
