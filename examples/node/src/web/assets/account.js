// One's own password, and for an operator who else may come in.

import { h } from "./dom.js";
import { loaded, page, sure, teller } from "./page.js";
import { visible } from "./visible.js";

const MIN_CHARS = 10;
const ROLES = { operator: "may ask, decide and change", viewer: "may look" };

export function accountPage({ call, operator, principal }) {
  const told = teller();
  const field = (id, label, auto, hint) => [
    h("label", { for: id }, label),
    hint && h("p", { class: "muted", id: `${id}-hint` }, hint),
    h("input", { id, type: "password", autocomplete: auto, maxlength: "1024", "aria-describedby": hint && `${id}-hint` }),
  ];
  const form = h(
    "form",
    { class: "card form", novalidate: true },
    h("h2", {}, "Your password"),
    field("old", "Present password", "current-password", "Leave this empty if you came in with a one-time link and have none yet."),
    field("new", "New password", "new-password", `At least ${MIN_CHARS} characters; a few words in a row are good.`),
    field("again", "New password again", "new-password"),
    h("button", { class: "main", type: "submit" }, "Set the password"),
    told.element,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [old, wanted, again] = ["old", "new", "again"].map((id) => form.querySelector(`#${id}`).value);
    if (wanted.length < MIN_CHARS) return told.say("The new password is too short.");
    if (wanted !== again) return told.say("The two new passwords differ.");
    try {
      await call("auth.set-password", old ? { old, new: wanted } : { new: wanted });
      form.reset();
      told.say("The password is set.");
    } catch (error) {
      told.fail(error);
    }
  });
  const users = h("div");
  const people = operator ? peopleOf(call, principal, users) : null;
  const element = page("account", "Account", `You are ${visible(principal)}.`, form, operator && people.element);
  return { element, opened: () => people?.load() };
}

function peopleOf(call, principal, place) {
  const told = teller();
  const load = loaded(place, () => call("auth.users"), (users) =>
    h("ul", { class: "grants" }, users.users.map((one) =>
      h(
        "li",
        { class: "grant", "data-user": one.user },
        h("div", {}, h("b", {}, visible(one.user)), " ", h("span", { class: "tag plain" }, one.role), h("p", { class: "muted" }, `${ROLES[one.role] ?? ""}${one.password_set ? "" : "; has no password yet"}`)),
        one.user !== principal && h("button", { type: "button", class: "quiet", onclick: () => remove(one.user) }, "Remove"),
      ),
    )),
  );
  const change = async (params, said) => {
    if (own.value === "") {
      told.say("Your own password is needed for that.");
      return own.focus();
    }
    try {
      await call("auth.users", { ...params, own_password: own.value });
      own.value = "";
      told.say(said);
      load();
    } catch (error) {
      told.fail(error);
    }
  };
  async function remove(user) {
    if (await sure(`Remove ${visible(user)}?`, "They are logged out, and cannot come in any more.", "Remove")) {
      change({ action: "remove", user }, `${visible(user)} is removed.`);
    }
  }
  const own = h("input", { id: "own-password", type: "password", autocomplete: "current-password", maxlength: "1024", "aria-describedby": "own-hint" });
  const name = h("input", { id: "new-user", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: "64" });
  const role = h("select", { id: "new-role" }, h("option", { value: "viewer" }, "viewer: may look"), h("option", { value: "operator" }, "operator: may ask, decide and change"));
  const password = h("input", { id: "new-password", type: "password", autocomplete: "new-password", maxlength: "1024" });
  const form = h(
    "form",
    { class: "form", novalidate: true },
    [["new-user", "Name", name], ["new-role", "Role", role], ["new-password", "First password", password]].map(([id, label, control]) => [h("label", { for: id }, label), control]),
    h("button", { type: "submit" }, "Add"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const user = name.value.trim();
    if (!user || password.value.length < MIN_CHARS) return told.say(`A name and a password of at least ${MIN_CHARS} characters are needed.`);
    change({ action: "add", user, role: role.value, password: password.value }, `${visible(user)} is added. They can set a password of their own.`);
    form.reset();
  });
  const element = h(
    "section",
    { class: "card" },
    h("h2", {}, "People"),
    place,
    h("div", { class: "form" }, h("label", { for: "own-password" }, "Your own password"), h("p", { class: "muted", id: "own-hint" }, "Needed to add or remove somebody."), own),
    told.element,
    h("h3", {}, "Add somebody"),
    form,
  );
  return { element, load };
}
