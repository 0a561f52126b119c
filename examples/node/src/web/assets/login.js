// Logs in: with a name and a password, or with the one-time token of a link, which is taken out of
// the address before it is used.

import { byId, fill } from "./dom.js";
import { call } from "./rpc.js";
import { themePicker } from "./theme.js";

const form = byId("form");
const problem = byId("problem");
const progress = byId("progress");

const WORDS = {
  bad_credentials: "Name and password do not fit together. Check both and try again.",
  bad_token: "This link does not work any more: it works once, and for ten minutes. Make a new one on the node.",
  rate_limited: "Too many tries. Wait a minute, then try again.",
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
    location.replace("token" in params && who.password_set === false ? "/#account" : "/");
  } catch (error) {
    busy(false);
    const limited = error.status === 429 || error.code === "rate_limited";
    const known = limited ? WORDS.rate_limited : WORDS["token" in params ? "bad_token" : "bad_credentials"];
    const unknown = error.status !== undefined && error.status < 500;
    fill(problem, unknown ? known : error.message);
    problem.hidden = false;
    byId("password").value = "";
    byId(byId("user").value ? "password" : "user").focus();
  }
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
const given = token();
if (given) logIn({ token: given });
else byId("user").focus();
document.body.dataset.ready = "true";
