use super::Surface;

/// What a page of this surface may load, run, be framed by and speak to: itself, and the chat's place
/// within the node page. Nothing that is text can become script or markup.
pub(crate) fn csp(surface: Surface, port: u16) -> String {
    let (connect, frames, ancestors) = match surface {
        Surface::Node => ("'self'", format!("http://localhost:{port}"), "'none'".to_owned()),
        Surface::Frame => ("'none'", "'none'".to_owned(), format!("http://127.0.0.1:{port}")),
        Surface::Standalone => ("'self'", "'none'".to_owned(), "'none'".to_owned()),
    };
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src {connect}; frame-src {frames}; frame-ancestors {ancestors}; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}
