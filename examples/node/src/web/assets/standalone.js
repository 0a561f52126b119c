// The frame without a node page: it talks to `sovereign-node aiui-dev`, which holds the key. What
// starts it is a token in the address, which is wiped before anything else happens.

import { meta } from "./dom.js";

export const standalone = meta("surface") === "standalone" && window.parent === window;

let launch = "";
if (standalone) {
  launch = new URLSearchParams(location.hash.slice(1)).get("launch") ?? "";
  history.replaceState(null, "", location.pathname);
}

const said = [];

/** As `sendChat` of the embedded frame: what was said before goes along, so that a model has it. */
export async function sendAlone(text, { onToken, signal }) {
  const messages = [...said, { role: "user", text }];
  let response;
  try {
    response = await fetch("/chat", {
      method: "POST",
      headers: { "content-type": "application/json", "x-launch-token": launch },
      body: JSON.stringify({ messages }),
      cache: "no-store",
      redirect: "error",
      signal,
    });
  } catch {
    throw new Error(signal.aborted ? "Stopped." : "The development proxy cannot be reached.");
  }
  if (!response.ok) throw new Error((await response.text()).trim() || `Status ${response.status}.`);
  const answer = await read(response.body, onToken, signal);
  said.push({ role: "user", text }, { role: "assistant", text: answer });
  return answer;
}

async function read(body, onToken, signal) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error("The answer was cut off.");
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines.filter(Boolean).map((text) => JSON.parse(text))) {
        if (line.type === "token") onToken(line.text);
        if (line.type === "done") return line.text;
        if (line.type === "error") throw new Error(line.message);
      }
    }
  } catch (error) {
    throw signal.aborted ? new Error("Stopped.") : error;
  }
}
