//! The pages: plain modules without a build step, compiled into the program.
//!
//! Owns what is sent and under which policy. It does not know sessions: who calls has checked them, and
//! hands over what belongs into the page.
mod assets;
mod content_policy;
mod fill;
#[cfg(test)]
mod tests;

pub(crate) use assets::asset;
pub(crate) use content_policy::csp;
use fill::fill;

/// Who is served, told apart by the host of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// `127.0.0.1`: session, decisions, receipts.
    Node,
    /// `localhost`: the chat alone, of another origin and site, without a session.
    Frame,
    /// The chat alone, without a node page around it, at the development proxy.
    Standalone,
}

/// The node page of one session.
pub(crate) fn app_page(frame_origin: &str, principal: &str, role: &str) -> String {
    let values = [("frame_origin", frame_origin), ("principal", principal), ("role", role)];
    fill(include_str!("assets/app.html"), &values)
}

/// The login page; it holds nothing of anybody.
pub(crate) const fn login_page() -> &'static str {
    include_str!("assets/login.html")
}

/// The chat, for the node page to hold.
pub(crate) fn frame_page() -> String {
    fill(include_str!("assets/frame.html"), &[("surface", "frame")])
}

/// The chat on its own.
pub(crate) fn standalone_page() -> String {
    fill(include_str!("assets/frame.html"), &[("surface", "standalone")])
}
