// Logs in: with a name and a password, or with the one-time token of a link, which is taken out of
// the address before it is used.

import { byId, fill } from "./dom.js";
import { call, keepToken } from "./rpc.js";
import { themePicker } from "./theme.js";

const form = byId("form");
const problem = byId("problem");
const progress = byId("progress");

const WORDS = {
  password: "Name and password do not fit together. Check both and try again.",
  token: "This link does not work any more: it works once, and for ten minutes. Make a new one on the node.",
  limited: "Too many tries. Wait a few minutes, then try again.",
};

function token() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (location.hash) history.replaceState(null, "", location.pathname);
  return given;
}

function busy(yes) {
  for (const control of form.elements) control.disabled = yes;
  progress.hidden = !yes;
  fill(progress, yes ? "Logging in…" : "");
}

async function logIn(params) {
  problem.hidden = true;
  busy(true);
  try {
    const who = await call("auth.login", params);
    keepToken(who.csrf);
    location.replace("token" in params && who.password_set === false ? "/#account" : "/");
  } catch (error) {
    busy(false);
    fill(problem, said(error, params));
    problem.hidden = false;
    byId("password").value = "";
    byId(byId("user").value ? "password" : "user").focus();
  }
}

/** One sentence for a person; what the node said when this page has no better words. */
function said(error, params) {
  if (error.code === "login_failed") return "token" in params ? WORDS.token : WORDS.password;
  if (error.code !== "too_many_attempts") return error.message;
  const seconds = error.data.retry_after_seconds;
  return seconds ? `Too many tries. Try again in ${seconds} seconds.` : WORDS.limited;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const user = byId("user").value.trim();
  const password = byId("password").value;
  if (user && password) return logIn({ user, password });
  fill(problem, "Both a name and a password are needed.");
  problem.hidden = false;
  byId(user ? "password" : "user").focus();
});

themePicker(byId("theme"));
byId("user").focus();

function withLink() {
  const given = token();
  if (given) logIn({ token: given });
}

// a link that is opened while this page stands there already loads nothing anew
window.addEventListener("hashchange", withLink);
withLink();
document.body.dataset.ready = "true";
