//! `purse` and `[routstr]`: what a token pays, what becomes of it, and that only `withdraw` shows one.
use super::home::{Home, Ran, finish, talking, talking_with};
use super::terminal::Terminal;
use serde_json::Value;
use sovereign_tests::double::{Answer, Double, Received};
use std::io::Write as _;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Runtime;

/// 64 sats of `https://mint.example`.
const CASH: &str = "cashuAeyJ0b2tlbiI6W3sibWludCI6Imh0dHBzOi8vbWludC5leGFtcGxlIiwicHJvb2ZzIjpbeyJhbW91bnQiOjY0LCJpZCI6IjAwIiwic2VjcmV0IjoiczEiLCJDIjoiMDIifV19XSwidW5pdCI6InNhdCJ9";
/// What is left of it: 61 sats.
const CHANGE: &str = "cashuAeyJ0b2tlbiI6W3sibWludCI6Imh0dHBzOi8vbWludC5leGFtcGxlIiwicHJvb2ZzIjpbeyJhbW91bnQiOjYxLCJpZCI6IjAwIiwic2VjcmV0IjoiczIiLCJDIjoiMDIifV19XSwidW5pdCI6InNhdCJ9";
/// A part of both, and of nothing else.
const OF_CASH: &str = "eyJ0b2tlbiI6W3sibWludCI6";

fn fed(home: &Home, arguments: &[&str], input: &str) -> Ran {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(input.as_bytes()).expect("a pipe that takes it");
    drop(writer);
    finish(home.command(arguments).stdin(Stdio::from(reader)))
}

fn add(home: &Home) -> Ran {
    fed(home, &["purse", "add", "--stdin"], &format!("{CASH}\n"))
}

/// The tokens as `NUMBER MSAT STATE`.
fn held(home: &Home) -> Vec<String> {
    let json = home.run(["purse", "list", "--json"]).succeeded().json();
    let one = |t: &Value| {
        format!("{} {} {}", t["token"], t["msat"], t["state"].as_str().unwrap_or_default())
    };
    json.as_array().expect("an array").iter().map(one).collect()
}

/// A Routstr node that takes the token and hangs up while `is_broken`, and pays back then or later.
struct Seller {
    double: Double,
    is_broken: Arc<AtomicBool>,
    _runtime: Runtime,
}

impl Seller {
    fn new() -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let is_broken = Arc::new(AtomicBool::new(false));
        let broken = Arc::clone(&is_broken);
        let answer = move |request: &Received| match request.path.as_str() {
            "/v1/models" => Answer::json(
                200,
                r#"{"data":[{"id":"m","sats_pricing":{"prompt":0.0001,"completion":0.001,"request":0.1}}]}"#,
            ),
            _ if broken.load(Ordering::SeqCst) => Answer::hang_up(),
            "/v1/chat/completions" => with_change(
                r#"{"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#,
            ),
            "/v1/balance/refund" => with_change("{}"),
            _ => Answer::json(404, "{}"),
        };
        let double = runtime.block_on(Double::start(answer));
        Self { double, is_broken, _runtime: runtime }
    }

    fn config(&self, pays: &str) -> String {
        format!(
            "[ollama]\nenabled = false\n[claude]\nenabled = false\n\
             [routstr]\nbase_url = \"{}/v1\"\nmodel = \"m\"\n{pays}\n",
            self.double.url()
        )
    }

    fn payments(&self) -> Vec<String> {
        let paid = self.double.received_at("/v1/chat/completions");
        paid.iter().map(|r| r.header("x-cashu").unwrap_or("nothing").to_owned()).collect()
    }
}

fn with_change(body: &str) -> Answer {
    let length = body.len();
    Answer::raw(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Cashu: {CHANGE}\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    ))
}

/// A node that pays from its purse, with policy `always`.
fn paying(seller: &Seller) -> Home {
    let home = Home::new();
    home.run(["policy", "remote", "always"]).succeeded();
    home.write("config.toml", &seller.config("purse = true\nmax_tokens = 500"));
    add(&home).succeeded();
    home
}

fn answered_by(ran: &Ran) -> String {
    ran.json()["backend"]["id"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn token_pays_for_an_answer_and_its_change_stays_in_the_purse() {
    let seller = Seller::new();
    let home = paying(&seller);
    let backends = home.run(["backends", "--json"]).succeeded().json();
    let leg = ["id", "locality", "state"].map(|key| backends[0][key].as_str().unwrap_or("-"));
    assert_eq!(leg, ["routstr", "remote", "ready"], "{backends}");
    let ran = home.run(["--verbose", "ask", "--json", "hello"]).succeeded();
    assert_eq!((answered_by(&ran).as_str(), &ran.json()["text"]), ("routstr", &"Hello.".into()));
    assert_eq!(seller.payments(), [CASH]);
    assert_eq!(held(&home), ["2 61000 unspent"]);
    let doctor = home.run(["doctor"]).succeeded().stdout;
    assert!(doctor.contains("ok    purse: 61 sats to pay with\n"), "{doctor}");
    let list = home.run(["purse", "list"]).succeeded().stdout;
    assert_eq!(list, "2  61 sats of https://mint.example: unspent\nTo pay with: 61 sats\n");
    let log = home.read("audit/000001.jsonl");
    for text in [format!("{ran:?}"), doctor, list, log] {
        assert!(!text.contains(OF_CASH), "{text}");
    }
}

#[test]
fn nothing_is_paid_without_the_table_or_without_a_yes() {
    let seller = Seller::new();
    let home = paying(&seller);
    home.run(["policy", "remote", "ask"]).succeeded();
    let ran = home.run(["ask", "--json", "how much space is left?"]).succeeded();
    assert_eq!(answered_by(&ran), "keyword", "nobody could be asked");
    home.run(["policy", "remote", "always"]).succeeded();
    home.write("config.toml", "[ollama]\nenabled = false\n");
    let ran = home.run(["ask", "--json", "how much space is left?"]).succeeded();
    assert_eq!(answered_by(&ran), "keyword");
    assert!(seller.payments().is_empty());
    assert_eq!(held(&home), ["1 64000 unspent"]);
}

#[test]
fn what_was_sent_to_a_node_that_broke_off_is_recovered_and_never_sent_again() {
    let seller = Seller::new();
    let home = paying(&seller);
    seller.is_broken.store(true, Ordering::SeqCst);
    let ran = home.run(["ask", "--json", "how much space is left?"]).succeeded();
    assert_eq!(answered_by(&ran), "keyword", "{ran:?}");
    assert_eq!(held(&home), ["1 64000 sent"]);
    let doctor = home.run(["doctor"]).succeeded().stdout;
    assert!(
        doctor.contains("warn  purse: 0 sats to pay with, and 1 token in the open\n"),
        "{doctor}"
    );
    let still = home.run(["purse", "recover"]).succeeded().stdout;
    assert!(still.contains("\n  1: not known yet, ask again later\n"), "{still}");
    seller.is_broken.store(false, Ordering::SeqCst);
    let done = home.run(["purse", "recover"]).succeeded().stdout;
    assert!(done.contains("\n  1: settled, what is left is in the purse\n"), "{done}");
    assert_eq!(held(&home), ["2 61000 unspent"]);
    assert_eq!(seller.payments(), [CASH]);
    home.write("config.toml", "");
    let nobody = home.run(["purse", "recover"]);
    assert_eq!((nobody.status, &*nobody.stdout), (2, ""), "{nobody:?}");
}

#[test]
fn only_withdraw_shows_cash_and_only_where_it_was_told_to() {
    let home = Home::new();
    let added = add(&home).succeeded();
    assert_eq!(added.stdout, "token 1: 64 sats of https://mint.example, to pay with\n");
    let refused = home.run(["purse", "withdraw", "1"]);
    assert_eq!((refused.status, &*refused.stdout), (2, ""), "{refused:?}");
    assert_eq!(held(&home), ["1 64000 unspent"], "nothing was taken out");
    let early = home.run(["purse", "discard", "1"]);
    assert_eq!(early.status, 1, "an unspent token is not thrown away: {early:?}");
    let shown = home.run(["purse", "withdraw", "1", "--stdout"]).succeeded();
    assert_eq!(shown.stdout, format!("{CASH}\n"));
    assert_eq!(held(&home), ["1 64000 withdrawn"]);
    let again = add(&home);
    assert_eq!(again.status, 1, "{again:?}");
    let released = home.run(["purse", "release", "1"]).succeeded();
    assert_eq!(held(&home), ["1 64000 unspent"]);
    let mut terminal = Terminal::start(&home, ["purse", "withdraw", "1"]);
    terminal.shows(OF_CASH);
    assert_eq!(terminal.ends().0, 0);
    let discarded = home.run(["purse", "discard", "1"]).succeeded();
    assert!(held(&home).is_empty());
    for ran in [added, refused, early, again, released, discarded] {
        assert!(!format!("{ran:?}").contains(OF_CASH), "{ran:?}");
    }
}

#[test]
fn token_typed_at_the_terminal_is_not_shown_there() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, ["purse", "add"]);
    terminal.shows("The token (nothing of it is shown): ");
    terminal.types(&format!("{CASH}\n"));
    terminal.shows("to pay with");
    let (status, screen) = terminal.ends();
    assert_eq!(status, 0, "{screen}");
    assert!(!screen.contains(OF_CASH), "{screen}");
    assert_eq!(held(&home), ["1 64000 unspent"]);
}

#[test]
fn what_is_no_token_is_status_2_and_is_not_repeated() {
    let home = Home::new();
    for input in ["", "lnbc1secret0123456789", "cashuA0123456789", &"cashuA0123456789".repeat(3000)]
    {
        let ran = fed(&home, &["purse", "add", "--stdin"], input);
        assert_eq!((ran.status, &*ran.stdout), (2, ""), "{ran:?}");
        assert!(!ran.stderr.contains("0123456789"), "{ran:?}");
    }
    assert_eq!(home.run(["purse", "withdraw", "7", "--stdout"]).status, 2);
    assert!(held(&home).is_empty());
}

#[test]
fn purse_that_a_conversation_may_pay_from_is_listed_and_not_changed_by_another() {
    let seller = Seller::new();
    let home = paying(&seller);
    let mut chat = talking_with(&home, &["chat"]);
    assert_eq!(held(&home), ["1 64000 unspent"]);
    home.run(["backends"]).succeeded();
    let taken = home.run(["purse", "withdraw", "1", "--stdout"]);
    assert_eq!((taken.status, &*taken.stdout), (1, ""), "{taken:?}");
    assert!(taken.stderr.contains("another process has the purse open"), "{taken:?}");
    chat.ends();
    // without a model nothing is paid, and the purse is not held
    let mut chat = talking(&home);
    home.run(["purse", "withdraw", "1", "--stdout"]).succeeded();
    chat.ends();
}

#[test]
fn reset_leaves_the_purse_unless_everything_shall_go() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    add(&home).succeeded();
    home.run(["reset", "--yes"]).succeeded();
    assert_eq!(held(&home), ["1 64000 unspent"]);
    let all = home.run(["reset", "--all", "--yes"]).succeeded();
    assert!(all.stdout.contains("purse: Cashu tokens: cash, which is lost with it\n"), "{all:?}");
    assert!(!home.data().join("purse").exists());
}

#[test]
fn key_of_a_paid_node_is_kept_like_every_other() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    let seller = Seller::new();
    home.write("config.toml", &seller.config("key = \"sats\""));
    let listed = home.run(["keys", "list"]).succeeded().stdout;
    assert!(listed.contains("sats: missing\n"), "{listed}");
    let backends = home.run(["backends"]).succeeded().stdout;
    assert!(backends.contains("to do: `sovereign-node keys set sats`\n"), "{backends}");
    fed(&home, &["keys", "set", "sats"], "sk-0123456789").succeeded();
    let backends = home.run(["backends", "--json"]).succeeded().json();
    assert_eq!(backends[0]["state"], "asks", "{backends}");
    assert!(!home.data().join("purse").exists());
    let doctor = home.run(["doctor"]).succeeded().stdout;
    assert!(doctor.contains("secrets/sats can be used"), "{doctor}");
}
