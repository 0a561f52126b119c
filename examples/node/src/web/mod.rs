//! The pages.

/// Who is served, told apart by the host of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// `127.0.0.1`: session, decisions, receipts.
    Node,
    /// `localhost`: the chat alone.
    Frame,
}

/// One file that a page may ask for.
#[derive(Debug)]
pub(crate) struct Asset {
    pub(crate) content_type: &'static str,
    pub(crate) bytes: &'static [u8],
}

pub(crate) fn asset(_: Surface, _: &str) -> Option<&'static Asset> {
    None
}

pub(crate) fn app_page(csrf: &str, frame_origin: &str, principal: &str, role: &str) -> String {
    format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"csrf-token\" content=\"{csrf}\">\
         <meta name=\"frame-origin\" content=\"{frame_origin}\">\
         <meta name=\"principal\" content=\"{principal}\"><meta name=\"role\" content=\"{role}\">\
         <title>Sovereign</title>"
    )
}

pub(crate) const fn login_page() -> &'static str {
    "<!doctype html><meta charset=\"utf-8\"><title>Sovereign: log in</title>"
}

pub(crate) fn frame_page() -> String {
    "<!doctype html><meta charset=\"utf-8\"><title>Sovereign: chat</title>".to_owned()
}

pub(crate) fn csp(surface: Surface, port: u16) -> String {
    let (connect, frames, ancestors) = match surface {
        Surface::Node => ("'self'", format!("http://localhost:{port}"), "'none'".to_owned()),
        Surface::Frame => ("'none'", "'none'".to_owned(), format!("http://127.0.0.1:{port}")),
    };
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src {connect}; frame-src {frames}; frame-ancestors {ancestors}; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}
