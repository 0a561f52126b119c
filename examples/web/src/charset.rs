//! From the bytes of a body to text, in the character set that the page declares.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252, X_USER_DEFINED};

#[cfg(test)]
#[path = "charset_tests.rs"]
mod tests;

/// How far into a page its own declaration is looked for, as the HTML standard has it.
const PRESCAN_BYTES: usize = 1024;

/// Byte order mark, then header, then the page's `meta` (HTML standard, section 13.2.3); without any
/// of them UTF-8 where the bytes are that, else windows-1252.
///
/// Bytes that mean nothing become U+FFFD. A character cut in two at the end of a `truncated` body is
/// left out.
pub(crate) fn decode(body: &[u8], content_type: &str, truncated: bool) -> String {
    let encoding = match Encoding::for_bom(body) {
        Some((encoding, _)) => encoding,
        None => declared(body, content_type).unwrap_or_else(|| guessed(body, truncated)),
    };
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let most = decoder.max_utf8_buffer_length(body.len()).unwrap_or_default();
    let mut text = String::with_capacity(most);
    let (_, _, _) = decoder.decode_to_string(body, &mut text, !truncated);
    text
}

fn declared(body: &[u8], content_type: &str) -> Option<&'static Encoding> {
    let (essence, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let essence = essence.trim();
    // RFC 8259, section 8.1: JSON has no other.
    if essence.eq_ignore_ascii_case("application/json") {
        return Some(UTF_8);
    }
    let header = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let label = value.trim().trim_matches('"');
        if name.trim().eq_ignore_ascii_case("charset") {
            Encoding::for_label(label.as_bytes())
        } else {
            None
        }
    });
    header.or_else(|| if essence.eq_ignore_ascii_case("text/html") { meta(body) } else { None })
}

/// The `charset` of the first `meta` that has one.
fn meta(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(body.get(..PRESCAN_BYTES).unwrap_or(body));
    let start = start.to_ascii_lowercase();
    let mut rest = start.as_str();
    while let Some((_, after)) = rest.split_once('<') {
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
            continue;
        }
        let (tag, next) = after.split_once('>').unwrap_or((after, ""));
        rest = next;
        let Some(attributes) = tag.strip_prefix("meta") else { continue };
        if !attributes.starts_with(|c: char| c.is_ascii_whitespace() || c == '/') {
            continue;
        }
        let label = attributes.split_once("charset").and_then(|(_, value)| {
            let value = value.trim_start().strip_prefix('=')?.trim_start();
            value.trim_start_matches(['"', '\'']).split(['"', '\'', ';', ' ', '/']).next()
        });
        if let Some(encoding) = label.and_then(|l| Encoding::for_label(l.as_bytes())) {
            // The declaration itself was readable as ASCII, so it cannot be UTF-16.
            return Some(match encoding {
                e if !e.is_ascii_compatible() => UTF_8,
                e if e == X_USER_DEFINED => WINDOWS_1252,
                e => e,
            });
        }
    }
    None
}

fn guessed(body: &[u8], truncated: bool) -> &'static Encoding {
    match std::str::from_utf8(body) {
        Ok(_) => UTF_8,
        // Only the last character is cut.
        Err(error) if truncated && error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}
