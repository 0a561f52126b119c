//! The pages.

/// Who is served, told apart by the host of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// `127.0.0.1`: session, decisions, receipts.
    Node,
    /// `localhost`: the chat alone.
    Frame,
}

/// The node page of one session.
pub(crate) fn app_page(frame_origin: &str, principal: &str, role: &str) -> String {
    let values = [("frame_origin", frame_origin), ("principal", principal), ("role", role)];
    fill(include_str!("assets/app.html"), &values)
}

pub(crate) const fn login_page() -> &'static str {
    "<!doctype html><meta charset=\"utf-8\"><title>Sovereign: log in</title>"
}

pub(crate) fn frame_page() -> String {
    "<!doctype html><meta charset=\"utf-8\"><title>Sovereign: chat</title>".to_owned()
}

/// The chat on its own.
#[cfg_attr(not(test), expect(dead_code, reason = "for the development proxy"))]
pub(crate) fn standalone_page() -> String {
    fill(include_str!("assets/frame.html"), &[("surface", "standalone")])
}
