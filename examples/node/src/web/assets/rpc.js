// Calls to this node, and its stream of events. The session's cookie alone is worth nothing: browsers
// send it to every port of this machine. Every request carries a token too, which the login gave and
// which is kept where no other port can read it.

const TOKEN = "sovereign-csrf";
/** Where a tab keeps the token of the question that it shows. */
export const QUESTION = "sovereign-question";
const PATH = "/rpc/v1";

/** What the node answered instead of a result. */
export class RpcError extends Error {
  constructor(code, message, data = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The token of this session; empty when this browser has none. */
export function csrfToken() {
  try {
    return localStorage.getItem(TOKEN) ?? "";
  } catch {
    return "";
  }
}

export function keepToken(token) {
  localStorage.setItem(TOKEN, token);
}

let count = 0;

/** One call; rejects with an `RpcError` whose message is one line for a person. */
export async function call(method, params = {}, signal = undefined) {
  count += 1;
  let response;
  let body;
  try {
    response = await fetch(PATH, {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": csrfToken() },
      body: JSON.stringify({ jsonrpc: "2.0", id: count, method, params }),
      cache: "no-store",
      redirect: "error",
      signal,
    });
  } catch {
    throw new RpcError("unreachable", "The node cannot be reached. Is it running?");
  }
  try {
    body = await response.json();
  } catch {
    throw new RpcError("unreadable", `The node gave an answer that is not readable (status ${response.status}).`);
  }
  if (body?.error) {
    const { message = "The node said no.", data = {} } = body.error;
    const error = new RpcError(data?.code ?? "error", String(message), data ?? {});
    error.status = response.status;
    if ((response.status === 401 && !method.startsWith("auth.")) || error.code === "csrf") gone();
    throw error;
  }
  return body?.result;
}

/** The session is over: only the login page is left. */
export function gone() {
  try {
    localStorage.removeItem(TOKEN);
    sessionStorage.removeItem(QUESTION);
  } catch {
    // there is none, then
  }
  location.replace("/login");
}

const visible = () => document.visibilityState === "visible";

const seen = () =>
  new Promise((resolve) => {
    const look = () => {
      if (!visible()) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    look();
  });

/**
 * Reads events until the session ends, and comes back after each break. `hear` gets every event but
 * the pings; `state` gets `connected`, `lost`, `paused` or `replaced`. A browser has few connections to
 * one host, so a page that nobody looks at lets its own go, unless `busy` says that it waits for an
 * answer; the first line of the next stream brings it up to date.
 */
export async function listen(hear, state, busy) {
  let wait = 500;
  for (;;) {
    await seen();
    const control = new AbortController();
    const rest = () => !visible() && !busy() && control.abort();
    document.addEventListener("visibilitychange", rest);
    let replaced = false;
    try {
      const response = await fetch(`${PATH}/events`, {
        headers: { "x-csrf-token": csrfToken() },
        cache: "no-store",
        redirect: "error",
        signal: control.signal,
      });
      if (response.status === 401 || response.status === 403) return gone();
      if (response.ok && response.body) {
        state("connected");
        for await (const line of lines(response.body)) {
          wait = 500;
          if (line.type === "logged_out") return gone();
          if (line.type === "replaced") replaced = true;
          else if (line.type !== "ping") hear(line);
          rest();
        }
      }
    } catch {
      // the stream broke; the first line of the next one says where things stand
    }
    document.removeEventListener("visibilitychange", rest);
    if (replaced) return state("replaced");
    if (control.signal.aborted) {
      state("paused");
      continue;
    }
    state("lost");
    await new Promise((again) => setTimeout(again, wait));
    wait = Math.min(wait * 2, 10_000);
  }
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part.trim()) yield JSON.parse(part);
  }
}
