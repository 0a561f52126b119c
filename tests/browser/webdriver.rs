//! A browser, driven through chromedriver's WebDriver interface (W3C): one JSON request a command.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The key under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// How long anything may take before the test has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// WebDriver's code points for keys.
pub const ENTER: &str = "\u{e007}";
pub const SPACE: &str = " ";
pub const TAB: &str = "\u{e004}";
pub const SHIFT: &str = "\u{e008}";
pub const ESCAPE: &str = "\u{e00c}";

pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

/// A driver and the port it says. It takes one port of IPv4, then the same of IPv6, and ends when somebody
/// else has that one: then another is started.
fn started() -> (Child, u16) {
    let mut said = String::new();
    for _ in 0..5 {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts; `tests/run` installs it");
        let output = BufReader::new(driver.stdout.take().expect("its output"));
        for line in output.lines().map_while(Result::ok) {
            let told = line.split_once("successfully on port ");
            if let Some(port) = told.and_then(|(_, p)| p.trim_end_matches('.').parse().ok()) {
                return (driver, port);
            }
            said.push_str(&line);
            said.push('\n');
        }
        driver.wait().expect("it has ended");
    }
    panic!("chromedriver says no port: {said}")
}

impl Browser {
    /// A new browser with a profile of its own, which sends everything through `proxy`, what is on
    /// this machine too.
    pub fn open(proxy: u16) -> Self {
        let (driver, port) = started();
        let mut browser = Self { driver, port, session: String::new() };
        let mut arguments = vec![
            "--headless".to_owned(),
            format!("--proxy-server=http://127.0.0.1:{proxy}"),
            "--proxy-bypass-list=<-loopback>".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-domain-reliability".to_owned(),
            "--disable-features=AutofillServerCommunication,MediaRouter,OptimizationHints,Translate"
                .to_owned(),
            "--disable-sync".to_owned(),
            "--disable-extensions".to_owned(),
            "--no-first-run".to_owned(),
            "--window-size=1200,900".to_owned(),
        ];
        // Chromium's own sandbox needs another user than root
        if rustix::process::geteuid().is_root() {
            arguments.push("--no-sandbox".to_owned());
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
            "timeouts": { "script": 30_000 },
            "unhandledPromptBehavior": "ignore",
        }}});
        let session = browser.command("POST", "", &wanted).expect("a browser starts");
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        browser
    }

    /// One command of this session; the error is WebDriver's own.
    pub fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let slash = if self.session.is_empty() { "" } else { "/" };
        let head = format!(
            "{method} /session{slash}{}{path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            self.session,
            self.port,
            body.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(|e| e.to_string())?;
        stream.set_read_timeout(Some(PATIENCE * 2)).map_err(|e| e.to_string())?;
        stream
            .write_all(&[head.as_bytes(), body.as_bytes()].concat())
            .map_err(|e| e.to_string())?;
        // chromedriver keeps the connection whatever it is told
        let mut stream = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).map_err(|e| e.to_string())?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                if line.trim_end().is_empty() {
                    break;
                }
                continue;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(|_| "no length")?;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).map_err(|e| e.to_string())?;
        let mut answer: Value = serde_json::from_slice(&body).map_err(|e| e.to_string())?;
        let value = answer["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", value["message"].as_str().unwrap_or(""))),
            None => Ok(value),
        }
    }

    fn must(&self, path: &str, body: &Value) -> Value {
        self.command("POST", path, body).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Loads an address.
    pub fn go(&self, url: &str) {
        self.must("/url", &json!({ "url": url }));
    }

    pub fn reload(&self) {
        self.must("/refresh", &json!({}));
    }

    pub fn back(&self) {
        self.must("/back", &json!({}));
    }

    pub fn url(&self) -> String {
        let url = self.command("GET", "/url", &Value::Null).expect("an address");
        url.as_str().unwrap_or_default().to_owned()
    }

    /// Runs a script in the page, or the frame, and gives what it returns.
    pub fn js(&self, script: &str) -> Value {
        self.js_with(script, &[])
    }

    /// The same; the script finds these in `arguments`.
    pub fn js_with(&self, script: &str, arguments: &[Value]) -> Value {
        self.must("/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// Runs a script that calls `done` with what it comes to, maybe later.
    pub fn js_later(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1];\n{script}");
        self.must("/execute/async", &json!({ "script": script, "args": [] }))
    }

    /// Comes back when this expression is true in the page; a page that goes away meanwhile is
    /// replaced by the next one.
    pub fn until(&self, expression: &str) {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             const later = window.realTimeout ?? window.setTimeout;
             const end = Date.now() + 20000;
             (function look() {{
               let is = false;
               try {{ is = Boolean({expression}); }} catch (error) {{ is = false; }}
               if (is || Date.now() > end) done(is); else later(look, 15);
             }})();"
        );
        let body = json!({ "script": script, "args": [] });
        for _ in 0..50 {
            match self.command("POST", "/execute/async", &body) {
                Ok(Value::Bool(true)) => return,
                Ok(_) => panic!("never true: {expression}\n{}", self.text("body")),
                // the page was left while the script ran
                Err(error) if error.contains("unload") || error.contains("navigat") => {}
                Err(error) => panic!("{expression}: {error}"),
            }
        }
        panic!("the page is left again and again: {expression}");
    }

    /// The text of an element as the DOM has it, not as it is laid out.
    pub fn text(&self, css: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
        self.js_with(script, &[json!(css)]).as_str().unwrap_or_default().to_owned()
    }

    pub fn has(&self, css: &str) -> bool {
        self.js_with("return document.querySelector(arguments[0]) !== null", &[json!(css)])
            == json!(true)
    }

    fn element(&self, css: &str) -> String {
        let found = self.must("/element", &json!({ "using": "css selector", "value": css }));
        found[ELEMENT].as_str().expect("an element").to_owned()
    }

    /// Clicks as a person does, with the pointer.
    pub fn click(&self, css: &str) {
        self.must(&format!("/element/{}/click", self.element(css)), &json!({}));
    }

    /// Types into an element.
    pub fn type_into(&self, css: &str, text: &str) {
        self.must(&format!("/element/{}/value", self.element(css)), &json!({ "text": text }));
    }

    /// Presses and releases keys, whatever has the focus; several at once are a chord.
    pub fn press(&self, keys: &[&str]) {
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        let keys: Vec<_> = down.chain(up).collect();
        let actions = json!({ "actions": [{ "type": "key", "id": "keys", "actions": keys }] });
        self.must("/actions", &actions);
    }

    /// From now on commands are for the chat frame.
    pub fn enter_frame(&self, css: &str) {
        let id = json!({ ELEMENT: self.element(css) });
        self.must("/frame", &json!({ "id": id }));
    }

    /// From now on commands are for the page again.
    pub fn leave_frame(&self) {
        self.must("/frame", &json!({ "id": null }));
    }

    /// Opens one more tab, with the focus of a tab that is looked at.
    pub fn new_tab(&self) -> String {
        let tab = self.must("/window/new", &json!({ "type": "tab" }));
        tab["handle"].as_str().expect("a tab").to_owned()
    }

    pub fn tab(&self) -> String {
        let tab = self.command("GET", "/window", &Value::Null).expect("a tab");
        tab.as_str().expect("a tab").to_owned()
    }

    /// From now on commands are for this tab, which is in front and has the focus: a browser without a
    /// screen gives it to the first one alone.
    pub fn switch_to(&self, tab: &str) {
        self.devtools("Emulation.setFocusEmulationEnabled", &json!({ "enabled": false }));
        self.must("/window", &json!({ "handle": tab }));
        self.devtools("Page.bringToFront", &json!({}));
        self.devtools("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
    }

    /// A command of Chromium's own.
    pub fn devtools(&self, command: &str, parameters: &Value) {
        self.must("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    /// What the console holds at warning and above: violations of the content policy are there.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.must("/se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        let grave = entries.into_iter().filter(|entry| entry["level"] == "SEVERE");
        grave.filter_map(|entry| entry["message"].as_str().map(str::to_owned)).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.command("DELETE", "", &Value::Null));
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}
