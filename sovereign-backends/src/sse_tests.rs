use super::Sse;
use crate::lines::MAX_LINE_BYTES;
use sovereign_core::backend::BackendError;

type Events = Vec<(String, String)>;

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Events, BackendError> {
    let (mut sse, mut events) = (Sse::default(), Vec::new());
    for piece in pieces {
        sse.feed(piece, |event| {
            let data = String::from_utf8(event.data.to_vec()).unwrap();
            events.push((event.name.to_owned(), data));
            Ok(())
        })?;
    }
    Ok(events)
}

fn events(text: &str) -> Events {
    decode([text.as_bytes()]).unwrap()
}

fn pair(name: &str, data: &str) -> (String, String) {
    (name.to_owned(), data.to_owned())
}

const MIXED: &str = "\u{feff}: hello\nevent: message_start\ndata: {\"a\":\"\u{e4}\u{1f600}\"}\n\n\
    event:x\r\ndata:one\r\ndata: two\r\nid: 7\r\nretry: 1\r\n\r\n: ping\n\n\
    data\n\ndata: last\rdata:  spaced\r\rdata: [DONE]\n\ndata: cut";

#[test]
fn events_are_decoded_as_the_standard_says() {
    let expected = vec![
        pair("message_start", "{\"a\":\"\u{e4}\u{1f600}\"}"),
        pair("x", "one\ntwo"),
        pair("", ""),
        pair("", "last\n spaced"),
        pair("", "[DONE]"),
    ];
    assert_eq!(events(MIXED), expected, "and the one without an end is dropped");
}

#[test]
fn events_are_the_same_wherever_the_pieces_are_cut() {
    let (bytes, whole) = (MIXED.as_bytes(), events(MIXED));
    for at in 0..=bytes.len() {
        let (before, after) = bytes.split_at(at);
        assert_eq!(decode([before, after]).unwrap(), whole, "cut at {at}");
    }
    for size in 1..=7 {
        assert_eq!(decode(bytes.chunks(size)).unwrap(), whole, "pieces of {size}");
    }
}

#[test]
fn a_prefix_never_gives_an_event_that_the_whole_does_not() {
    let whole = events(MIXED);
    for end in 0..MIXED.len() {
        let part = decode([&MIXED.as_bytes()[..end]]).unwrap();
        assert_eq!(part, whole[..part.len()], "{end}");
    }
}

#[test]
fn an_event_name_does_not_outlive_its_event() {
    assert_eq!(events("event: a\n\ndata: b\n\n"), [pair("", "b")]);
}

#[test]
fn an_endless_line_or_event_is_given_up() {
    let line = vec![b'x'; MAX_LINE_BYTES + 1];
    assert!(decode([line.as_slice()]).is_err());
    let many = "data: x\n".repeat(MAX_LINE_BYTES);
    assert!(decode([many.as_bytes()]).is_err());
    let comments = ": ping\n".repeat(200_000);
    assert!(decode([comments.as_bytes()]).unwrap().is_empty(), "what is not kept costs nothing");
}
