// The page of the node: who is here, which part is shown, and what the node says meanwhile.

import { accountPage } from "./account.js";
import { auditPage } from "./audit.js";
import { backendsPage } from "./backends.js";
import { capabilitiesPage } from "./capabilities.js";
import { chatPage } from "./chat.js";
import { Decisions } from "./decision.js";
import { byId, fill, h, meta, put } from "./dom.js";
import { historyPage } from "./history.js";
import { policyPage } from "./policy.js";
import { call, csrfToken, gone, listen } from "./rpc.js";
import { chosenTheme, themePicker } from "./theme.js";
import { visible } from "./visible.js";

const operator = meta("role") === "operator";
const node = { call, operator, principal: meta("principal") };

// [address, title, how it is made, for whom]
const PAGES = [
  ["chat", "Chat", chatPage, operator],
  ["capabilities", "Capabilities & grants", capabilitiesPage, true],
  ["policy", "Policy", policyPage, true],
  ["backends", "Backends", backendsPage, true],
  ["history", "History", historyPage, operator],
  ["audit", "Audit", auditPage, true],
  ["account", "Account", accountPage, true],
];

const made = new Map();
const main = byId("main");
const nav = byId("nav");

for (const [address, title, , mine] of PAGES) {
  if (mine && address !== "account") put(nav, h("li", {}, h("a", { href: `#${address}` }, title)));
}

function open() {
  const first = operator ? "chat" : "capabilities";
  const asked = location.hash.slice(1);
  const [address, title, make] = PAGES.find(([a, , , mine]) => a === asked && mine) ?? PAGES.find(([a]) => a === first);
  if (!made.has(address)) {
    const page = make(node);
    page.element.id = `page-${address}`;
    page.element.setAttribute("aria-labelledby", `title-${address}`);
    put(main, page.element);
    made.set(address, page);
  }
  for (const [other, page] of made) page.element.hidden = other !== address;
  for (const link of document.querySelectorAll("header a[href^='#']")) {
    const here = link.getAttribute("href") === `#${address}`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${title} · Sovereign`;
  document.body.dataset.page = address;
  made.get(address).opened?.();
}

window.addEventListener("hashchange", () => {
  if (location.hash === "#main") return main.focus();
  fill(byId("news"));
  open();
  main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
});

fill(byId("who-name"), visible(node.principal));
fill(byId("who-role"), meta("role"));
themePicker(byId("theme"), () => made.get("chat")?.theme?.(chosenTheme()));

byId("logout").addEventListener("click", async () => {
  for (const last of [false, true]) {
    try {
      await call("auth.logout");
      return gone();
    } catch (error) {
      if (error.status === 401) return gone();
      // a session that goes on must not look as if it were over
      if (last) fill(byId("news"), `You are still logged in. ${error.message}`);
    }
  }
});

// a cookie without the token of its login is no session: another port of this machine may have it
if (csrfToken() === "") gone();
else start();

function start() {
  open();
  if (operator) {
    const decisions = new Decisions(call);
    const chat = made.get("chat") ?? make("chat");
    chat.whenOutstanding((pending) => decisions.remind(pending));
    hearEverything(decisions, chat);
  }
  document.body.dataset.ready = "true";
}

function make(address) {
  const [, , build] = PAGES.find(([a]) => a === address);
  const page = build(node);
  page.element.id = `page-${address}`;
  page.element.hidden = true;
  page.element.setAttribute("aria-labelledby", `title-${address}`);
  put(main, page.element);
  made.set(address, page);
  return page;
}

const BANNERS = {
  lost: "The node does not answer. Trying again…",
  replaced: "This page is open in too many tabs, so this one has stopped following. Reload it to go on here.",
};

function hearEverything(decisions, chat) {
  const banner = byId("connection");
  listen(
    (event) => {
      chat.hear(event);
      switch (event.type) {
        case "state":
          call("assistant.pending").then(
            ({ pending }) => decisions.only(pending.map((one) => one.id), event.report?.receipts),
            () => {},
          );
          break;
        case "pending":
          decisions.surface(event.pending);
          break;
        case "resolved":
          decisions.resolved(event.id, event.how);
          break;
        case "settled":
          decisions.settled(event.receipt);
          break;
      }
    },
    (state) => {
      document.body.dataset.connected = String(state === "connected");
      banner.hidden = !(state in BANNERS);
      fill(banner, BANNERS[state] ?? "");
    },
    () => chat.busy(),
  );
}
