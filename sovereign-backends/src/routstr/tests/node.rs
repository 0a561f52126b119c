//! A node on loopback that keeps books: which tokens it redeemed, what it charged, what it owes.
use super::mint;
use crate::routstr::CashuToken;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What it does with a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It answers, with change in the head.
    Honest,
    /// The same, and the connection breaks in the body.
    ChangeThenCut,
    /// It answers and says nothing of change, which can be asked for.
    ForgetsChange,
    /// It redeems and closes the connection.
    TakesAndCuts,
    /// It redeems and never answers.
    TakesAndHangs,
    /// It closes the connection and has seen nothing.
    CutsBefore,
    /// It redeems, fails, and gives all of it back in the body.
    RefundInBody,
    /// The same in the head.
    RefundInHead,
    /// It redirects, with change in the head.
    RedirectsWithChange,
    /// Too little: it sends the token back.
    Returns,
    /// Too little: it says only that.
    Refuses,
    /// Its mint does not answer.
    MintDown,
    /// The reply costs all of it.
    CostsAll,
    /// It redeems, and says that the money is gone.
    Loses,
    /// It redeems, answers, and sends something that nobody can read as change.
    UnreadableChange,
}

pub(super) const WAYS: [Way; 15] = [
    Way::Honest,
    Way::ChangeThenCut,
    Way::ForgetsChange,
    Way::TakesAndCuts,
    Way::TakesAndHangs,
    Way::CutsBefore,
    Way::RefundInBody,
    Way::RefundInHead,
    Way::RedirectsWithChange,
    Way::Returns,
    Way::Refuses,
    Way::MintDown,
    Way::CostsAll,
    Way::Loses,
    Way::UnreadableChange,
];

/// What it charges for a reply.
pub(super) const COST_SATS: u64 = 3;

#[derive(Debug, Clone)]
pub(super) struct Books {
    pub(super) way: Way,
    /// How often it answers that change is pending before it gives it.
    pub(super) pending: usize,
    /// Change that was not fetched in time is gone.
    pub(super) swept: bool,
    pub(super) redeemed: Vec<Redeemed>,
    /// Each token that a payment came with.
    pub(super) presented: Vec<String>,
    /// Payments with a token that was redeemed before.
    pub(super) double_spends: usize,
    /// Paths of all requests.
    pub(super) paths: Vec<String>,
    serial: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Redeemed {
    pub(super) token: String,
    pub(super) kept_sats: u64,
    pub(super) change: Option<String>,
}

pub(super) struct Node {
    address: SocketAddr,
    books: Arc<Mutex<Books>>,
}

const PRICES: &str =
    r#"{"data":[{"id":"m","sats_pricing":{"prompt":0.0001,"completion":0.001,"request":0.1}}]}"#;
const REPLY: &str = r#"{"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#;

impl Node {
    pub(super) async fn start(way: Way) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let books = Arc::new(Mutex::new(Books {
            way,
            pending: 0,
            swept: false,
            redeemed: Vec::new(),
            presented: Vec::new(),
            double_spends: 0,
            paths: Vec::new(),
            serial: 1000,
        }));
        let of_task = Arc::clone(&books);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let books = Arc::clone(&of_task);
                tokio::spawn(async move {
                    let Some((path, token)) = request(&mut stream).await else { return };
                    let answer = answer(&mut books.lock().unwrap(), &path, token);
                    match answer {
                        // the other side may have had enough
                        Some(bytes) => drop(stream.write_all(bytes.as_bytes()).await),
                        None => drop(stream.read_u8().await),
                    }
                });
            }
        });
        Self { address, books }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap()
    }
}

impl Books {
    pub(super) fn redemption(&self, token: &str) -> Option<&Redeemed> {
        self.redeemed.iter().find(|redeemed| redeemed.token == token)
    }

    /// Gives back the change, when there is any.
    fn redeem(&mut self, token: &str, cost_sats: u64) -> Option<String> {
        let sats = CashuToken::parse(token).unwrap().amount_msat() / 1000;
        let back = sats - cost_sats.min(sats);
        self.serial += 1;
        let change = (back > 0).then(|| mint(back, self.serial));
        self.redeemed.push(Redeemed {
            token: token.to_owned(),
            kept_sats: sats - back,
            change: change.clone(),
        });
        change
    }

    fn pay(&mut self, token: &str) -> Option<String> {
        self.presented.push(token.to_owned());
        if self.redemption(token).is_some() {
            self.double_spends += 1;
            return Some(error(400, "cashu_token_already_spent", ""));
        }
        let all = CashuToken::parse(token).unwrap().amount_msat() / 1000;
        let with = |change: Option<String>| {
            change.map(|c| format!("X-Cashu: {c}\r\n")).unwrap_or_default()
        };
        match self.way {
            Way::Honest => Some(http(200, &with(self.redeem(token, COST_SATS)), REPLY)),
            Way::ChangeThenCut => {
                let whole = http(200, &with(self.redeem(token, COST_SATS)), REPLY);
                Some(whole.split_at(whole.len() - 20).0.to_owned())
            }
            Way::ForgetsChange => {
                self.redeem(token, COST_SATS);
                Some(http(200, "", REPLY))
            }
            Way::TakesAndCuts => {
                self.redeem(token, COST_SATS);
                Some(String::new())
            }
            Way::TakesAndHangs => {
                self.redeem(token, COST_SATS);
                None
            }
            Way::CutsBefore => Some(String::new()),
            Way::RefundInBody => {
                let change = self.redeem(token, 0).unwrap();
                Some(error(502, "upstream_error", &format!(r#","refund_token":"{change}""#)))
            }
            Way::RefundInHead => {
                Some(http(502, &with(self.redeem(token, 0)), r#"{"error":{"message":"m"}}"#))
            }
            Way::RedirectsWithChange => {
                let location = "Location: http://127.0.0.1:1/\r\n";
                let change = with(self.redeem(token, COST_SATS));
                Some(http(307, &format!("{location}{change}"), ""))
            }
            Way::Returns => {
                let same = format!("X-Cashu: {token}\r\n");
                Some(http(402, &same, r#"{"error":{"code":"insufficient_balance"}}"#))
            }
            Way::Refuses => Some(error(402, "insufficient_balance", "")),
            Way::MintDown => Some(error(503, "mint_unreachable", "")),
            Way::CostsAll => {
                self.redeem(token, all);
                let cost = format!("X-Routstr-Cost-Msats: {}\r\n", all * 1000);
                Some(http(200, &cost, REPLY))
            }
            Way::Loses => {
                self.redeem(token, all);
                Some(error(500, "cashu_token_consumed", ""))
            }
            Way::UnreadableChange => {
                self.redeem(token, COST_SATS);
                Some(http(200, "X-Cashu: cashuZnobody-can-read-this\r\n", REPLY))
            }
        }
    }

    fn refund(&mut self, token: &str) -> String {
        let Some(redeemed) = self.redemption(token).cloned() else {
            return http(404, "", r#"{"detail":"Refund not found"}"#);
        };
        if self.swept {
            return http(410, "", r#"{"detail":"Refund has been swept"}"#);
        }
        // where all of it was charged no change ever comes: a real node says the same for ever
        let pending = self.pending.checked_sub(1);
        match (redeemed.change, pending) {
            (Some(change), None) => {
                let header = format!("X-Cashu: {change}\r\n");
                http(200, &header, &format!(r#"{{"token":"{change}","sats":"1"}}"#))
            }
            (_, left) => {
                self.pending = left.unwrap_or_default();
                http(425, "Retry-After: 2\r\n", r#"{"detail":"Refund is pending"}"#)
            }
        }
    }
}

fn answer(books: &mut Books, path: &str, token: Option<String>) -> Option<String> {
    books.paths.push(path.to_owned());
    match (path, token) {
        ("/v1/models", None) => Some(http(200, "", PRICES)),
        ("/v1/chat/completions", Some(token)) => books.pay(&token),
        ("/v1/balance/refund", Some(token)) => Some(books.refund(&token)),
        _ => Some(http(404, "", "{}")),
    }
}

fn http(status: u16, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}

fn error(status: u16, code: &str, more: &str) -> String {
    let body = format!(r#"{{"error":{{"type":"{code}","code":"{code}","message":"m"{more}}}}}"#);
    http(status, "", &body)
}

/// The path, and the token in the head.
async fn request(stream: &mut TcpStream) -> Option<(String, Option<String>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let value = |wanted: &str| {
        head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then(|| value.trim().to_owned())
        })
    };
    let length: usize = value("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < end + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some((head.split(' ').nth(1)?.to_owned(), value("x-cashu")))
}
