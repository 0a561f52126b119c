// The chat: a person's words and the model's, all of it as plain text. No decision, no token and no
// receipt ever gets here.

import { byId, fill, h, put } from "./dom.js";
import { embedded, sendChat } from "./embedded.js";
import { sendAlone, standalone } from "./standalone.js";
import { showTheme } from "./theme.js";
import { prose } from "./visible.js";

const talk = byId("talk");
const status = byId("status");
const text = byId("text");
const send = byId("send");
const stop = byId("stop");

const STATUS = {
  thinking: "Thinking…",
  working: "The model asked for something; the node is looking at it…",
  decision_outstanding: "Waiting for your decision, which is asked outside of this chat.",
  reset: "Starting over with another model…",
};

let running = null;

function bubble(who, words) {
  byId("empty")?.remove();
  const body = h("div", { class: "words", dir: "auto" }, prose(words));
  const name = who === "you" ? "You" : "Answer";
  const one = h("article", { class: `bubble ${who}`, "aria-label": name }, h("h2", {}, name), body);
  put(talk, one);
  talk.scrollTop = talk.scrollHeight;
  return { one, body };
}

function show(now) {
  running = now;
  stop.hidden = now === null;
  send.disabled = now !== null;
}

async function ask() {
  const words = text.value.trim();
  if (!words || running) return;
  text.value = "";
  grow();
  bubble("you", words);
  const control = new AbortController();
  show(control);
  const answer = bubble("model", "");
  answer.one.setAttribute("aria-busy", "true");
  answer.one.hidden = true;
  let streamed = "";
  const draw = (whole) => {
    const low = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 60;
    streamed = whole;
    answer.one.hidden = whole === "";
    fill(answer.body, prose(whole));
    if (low) talk.scrollTop = talk.scrollHeight;
  };
  const hooks = {
    onToken: (piece) => draw(streamed + piece),
    onStatus: (word) => {
      if (word === "reset") draw("");
      fill(status, STATUS[word] ?? "");
    },
    signal: control.signal,
  };
  fill(status, STATUS.thinking);
  try {
    const whole = await (embedded ? sendChat : sendAlone)(words, hooks);
    draw(whole || "(no words)");
    fill(status);
    fill(byId("said"), `Answer: ${prose(whole)}`);
  } catch (error) {
    answer.one.classList.add("cut");
    put(talk, h("p", { class: "problem" }, prose(error.message)));
    talk.scrollTop = talk.scrollHeight;
    fill(status);
    fill(byId("said"), prose(error.message));
  }
  answer.one.removeAttribute("aria-busy");
  show(null);
}

function grow() {
  text.rows = Math.min(6, text.value.split("\n").length);
}

function themeOfAddress() {
  const theme = new URLSearchParams(location.hash.slice(1)).get("theme");
  if (theme !== null) showTheme(theme);
}

if (embedded) {
  themeOfAddress();
  window.addEventListener("hashchange", themeOfAddress);
}

if (embedded || standalone) {
  send.addEventListener("click", ask);
  stop.addEventListener("click", () => running?.abort());
  text.addEventListener("input", grow);
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    ask();
  });
} else {
  send.disabled = true;
  text.disabled = true;
  const home = `http://127.0.0.1:${location.port}/`;
  fill(byId("empty"), `This is the chat of a node, and works only within its page: ${home}`);
}
document.body.dataset.ready = "true";
