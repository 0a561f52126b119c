//! The capability itself.

use crate::address::Address;
use crate::charset;
use crate::fit::fit;
use crate::html::{Extract, extract};
use sovereign_core::capability::{Capability as _, Reach, Request, Response};
use sovereign_core::prelude::*;
use std::time::Duration;

/// What the page's host is told about the asker.
const AGENT: &str = concat!("sovereign/", env!("CARGO_PKG_VERSION"));
/// What may come back.
const KINDS: &[&str] = &["text/html", "text/plain", "application/json"];
/// How much of a page is read; its text is mostly far less.
const MAX_BODY: usize = 1 << 20;
/// How much of its text is kept at most.
const MAX_TEXT: usize = 48 << 10;
/// What a result keeps free for the punctuation around it.
const SLACK: usize = 1 << 10;
/// The longest address that a redirect may lead to, and the longest title of a citation.
const MAX_TARGET: usize = 2048;
const MAX_TITLE: usize = 300;

/// What the plugin is installed with: where its addresses may lead.
///
/// The way out that the plugin gets at the same place has a reach of its own. This one lets the
/// policy stage refuse what the text of an address gives away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    reach: Reach,
}

impl Web {
    /// `Reach::public()` in a program; a test lists its own server.
    #[must_use]
    pub const fn new(reach: Reach) -> Self {
        Self { reach }
    }
}

/// Fetches one public web page by its full address (URL) and gives its text.
///
/// The page's host sees the address, so every call asks first, and the disclosure names the host in
/// its ASCII form with its port.
///
/// Codes of a refusal, from the text of the address alone: `invalid_url`, `scheme_not_allowed`,
/// `userinfo_not_allowed`, `port_not_allowed`, `address_not_public` (`address_not_allowed` where the
/// reach is not the public one). Codes of a failure are those of
/// [`Outbound::send`](sovereign_core::capability::Outbound::send). A status such as 404 is a result;
/// so is a redirect, which is reported and never followed: its target may be somewhere else, and is
/// for the person to approve.
#[capability(
    name = "web.fetch",
    version = 1,
    side_effect = read_only,
    network = external,
    category = search,
    timeout = "17s", max_result = "64KiB", max_per_turn = 1,
)]
#[derive(Debug)]
pub struct Fetch {
    /// Full address of the page, http or https; its host sees the whole of it.
    #[arg(length(min = 1, max = 2048))]
    url: String,
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Schema)]
pub struct Page {
    /// The address as it was asked for.
    pub url: String,
    /// The address that answered, or that a redirect leads to; it was not followed.
    pub final_url: String,
    /// The HTTP status: 200 is a page, 404 is none, 500 a server in trouble.
    pub status: u16,
    /// The kind of the page, when it has a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// What it says, without markup.
    pub text: String,
    /// Whether it says more than that.
    pub truncated: bool,
    /// Whether it only leads elsewhere.
    pub redirected: bool,
    /// When it was fetched, in UTC (RFC 3339).
    pub retrieved_at: String,
}

impl Run for Fetch {
    type State = Web;
    type Output = Cited<Page>;

    fn allow(&self, web: &Web) -> Result<(), NotAllowed> {
        Address::parse(&self.url)?.judge(&web.reach)
    }

    fn destination(&self) -> Option<String> {
        Address::parse(&self.url).ok().map(|address| address.receiver())
    }

    async fn run(self, call: Call<'_, Self>) -> Result<Cited<Page>, Failure> {
        let address = Address::parse(&self.url)?;
        let mut request = Request::get(address.as_str());
        request.headers = [("accept", KINDS.join(", ")), ("user-agent", AGENT.to_owned())]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
        request.accept = KINDS;
        request.max_body = MAX_BODY;
        request.timeout = Duration::from_secs(15);
        let response = call.http().send(request).await?;
        let retrieved_at = jiff::Timestamp::try_from(call.wall()).or_fail("clock")?.to_string();
        let mut page = Page {
            final_url: address.as_str().to_owned(),
            url: self.url,
            status: response.status,
            content_type: None,
            text: String::new(),
            truncated: false,
            redirected: response.is_redirect(),
            retrieved_at,
        };
        let mut title = None;
        if page.redirected {
            page.final_url = target(&address, &response)?;
        } else if !response.body.is_empty() {
            page.content_type = response.header("content-type").map(essence);
            // Taking a page apart is work for a moment or two: off the runtime with it.
            let read = call.blocking(move |_| read(&response)).await?;
            page.truncated = read.cut;
            title = read.title;
            fill(&mut page, &read.text)?;
        }
        let (title, _) = fit(&title.unwrap_or_else(|| address.host()), MAX_TITLE);
        let citation = Citation::new(address.as_str(), title).retrieved_at(&page.retrieved_at);
        Ok(Cited::new(page, [citation]))
    }
}

fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn target(from: &Address, response: &Response) -> Result<String, Failure> {
    let target = response.header("location").and_then(|location| from.join(location));
    target.filter(|target| target.len() <= MAX_TARGET).ok_or_else(|| {
        Failure::new("invalid_response").says("the page leads elsewhere, but not to a web address")
    })
}

fn read(response: &Response) -> Extract {
    let content_type = response.header("content-type").unwrap_or_default();
    let text = charset::decode(&response.body, content_type, response.truncated);
    let mut read = match essence(content_type).as_str() {
        "text/html" => extract(&text),
        _ => Extract { title: None, text, cut: false },
    };
    read.cut |= response.truncated;
    read
}

/// As much text as the whole result has room for, so that a long page is a cut one, not a withheld
/// one.
fn fill(page: &mut Page, text: &str) -> Result<(), Failure> {
    let most = usize::try_from(Fetch::DECLARATION.bounds.max_result).unwrap_or(usize::MAX);
    let taken = serde_json::to_vec(page).or_fail("unwritable")?.len().saturating_add(SLACK);
    let (kept, cut) = fit(text, most.saturating_sub(taken).min(MAX_TEXT));
    page.truncated |= cut;
    page.text = kept;
    Ok(())
}
