//! One person at one browser before one node.

use crate::node::{Node, Plan};
use crate::recorder::Recorder;
use crate::webdriver::Browser;
use serde_json::Value;
use sovereign_core::host::Backend;
use std::net::SocketAddr;
use std::path::PathBuf;
use tempfile::TempDir;

pub struct Desk {
    pub browser: Browser,
    pub node: Node,
    pub recorder: Recorder,
    pub directory: TempDir,
}

impl Desk {
    /// Logged in, before the chat.
    pub fn with(model: impl Backend) -> Self {
        Self::reaching(model, None)
    }

    /// The same, where `web.fetch` may go to this one server.
    pub fn reaching(model: impl Backend, server: impl IntoIterator<Item = SocketAddr>) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let reach = server.into_iter().collect();
        Self::before(Plan { reach, ..Plan::new(directory.path(), model) }.start(), directory)
    }

    /// Logged in at a node that runs.
    pub fn before(node: Node, directory: TempDir) -> Self {
        let desk = Self::outside(node, directory);
        desk.log_in(&desk.node.link);
        desk
    }

    /// Not logged in.
    pub fn outside(node: Node, directory: TempDir) -> Self {
        let recorder = Recorder::start();
        let browser = Browser::open(recorder.port);
        Self { browser, node, recorder, directory }
    }

    /// With a link, and on to the chat.
    pub fn log_in(&self, link: &str) {
        self.browser.go(link);
        self.browser.until("document.body.dataset.page === 'account'");
        self.open_chat();
    }

    pub fn open_chat(&self) {
        self.browser.click("nav a[href='#chat']");
        self.ready();
    }

    /// The page is connected, and the frame is there.
    pub fn ready(&self) {
        self.browser.until("document.body?.dataset.connected === 'true'");
        self.in_frame(|browser| browser.until("document.body?.dataset.ready === 'true'"));
    }

    /// Does something as the chat frame.
    pub fn in_frame<T>(&self, work: impl FnOnce(&Browser) -> T) -> T {
        self.browser.enter_frame(".frame-box iframe");
        let done = work(&self.browser);
        self.browser.leave_frame();
        done
    }

    /// Types a message into the chat and sends it.
    pub fn say(&self, text: &str) {
        self.in_frame(|browser| {
            browser.type_into("#text", text);
            browser.click("#send");
        });
    }

    /// Waits until the chat holds as many answers or problems as this.
    pub fn answered(&self, many: usize) {
        self.in_frame(|browser| {
            browser.until(&format!(
                "document.querySelectorAll('.bubble.model:not([aria-busy]), .problem').length >= {many} \
                 && document.querySelector('#stop').hidden"
            ));
        });
    }

    /// What the chat shows, message by message.
    pub fn said(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('.words, .problem')]
                        .filter((e) => !e.closest('[hidden]')).map((e) => e.textContent)";
        let said = self.in_frame(|browser| browser.js(script));
        let said = said.as_array().cloned().unwrap_or_default();
        said.into_iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()
    }

    /// Waits for the question, without waiting until it can be approved.
    pub fn asked(&self) {
        self.browser.until("document.querySelector('#decision').open");
    }

    /// Waits until the question can be approved.
    pub fn armed(&self) {
        self.browser.until("document.querySelector('#decision-approve').dataset.armed === 'yes'");
    }

    pub fn is_asked(&self) -> bool {
        self.browser.js("return document.querySelector('#decision').open") == Value::Bool(true)
    }

    /// Waits until as many turns as this are shown with who answered.
    pub fn finished(&self, many: usize) {
        self.browser.until(&format!("document.querySelectorAll('.answered').length >= {many}"));
    }

    /// A call of the page's own session, as its scripts make it.
    pub fn rpc(&self, method: &str, params: &str) -> Value {
        self.browser.js_later(&format!(
            "fetch('/rpc/v1', {{ method: 'POST', headers: {{ 'content-type': 'application/json',
               'x-csrf-token': localStorage.getItem('sovereign-csrf') }},
               body: JSON.stringify({{ jsonrpc: '2.0', id: 1, method: '{method}', params: {params} }}) }})
             .then((r) => r.json()).then(done, (e) => done(String(e)));"
        ))
    }

    /// Nothing went anywhere but to the node, and no content policy was violated.
    pub fn kept_to_itself(&self) {
        let ours = [self.node.origin(), self.node.frame_origin()];
        let beyond = self.recorder.beyond(&ours.each_ref().map(String::as_str));
        assert!(beyond.is_empty(), "the browser asked for {beyond:?}");
        let complaints = self.browser.complaints();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

/// The program itself, which is built beside the tests.
pub fn program() -> PathBuf {
    let this = std::env::current_exe().expect("a path");
    let program = this.ancestors().nth(2).expect("the directory above").join("sovereign-node");
    assert!(program.exists(), "`cargo build -p sovereign-node` first, or `tests/run`");
    program
}
