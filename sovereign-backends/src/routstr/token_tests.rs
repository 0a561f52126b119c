use super::{BASE64, CashuToken, MAX_TOKEN_BYTES, TokenError};
use base64::Engine as _;

fn json(text: &str) -> String {
    format!("cashuA{}", BASE64.encode(text))
}

/// The example of NUT-00 in both forms: 8 + 2 sats, and 1 + 2 + 1.
#[test]
fn both_forms_of_a_token_are_read() {
    let a = "cashuAeyJ0b2tlbiI6W3sibWludCI6Imh0dHBzOi8vODMzMy5zcGFjZTozMzM4IiwicHJvb2ZzIjpbeyJhbW91bnQiOjIsImlkIjoiMDA5YTFmMjkzMjUzZTQxZSIsInNlY3JldCI6IjQwNzkxNWJjMjEyYmU2MWE3N2UzZTZkMmFlYjRjNzI3OTgwYmRhNTFjZDA2YTZhZmMyOWUyODYxNzY4YTc4MzciLCJDIjoiMDJiYzkwOTc5OTdkODFhZmIyY2M3MzQ2YjVlNDM0NWE5MzQ2YmQyYTUwNmViNzk1ODU5OGE3MmYwY2Y4NTE2M2VhIn0seyJhbW91bnQiOjgsImlkIjoiMDA5YTFmMjkzMjUzZTQxZSIsInNlY3JldCI6ImZlMTUxMDkzMTRlNjFkNzc1NmIwZjhlZTBmMjNhNjI0YWNhYTNmNGUwNDJmNjE0MzNjNzI4YzcwNTdiOTMxYmUiLCJDIjoiMDI5ZThlNTA1MGI4OTBhN2Q2YzA5NjhkYjE2YmMxZDVkNWZhMDQwZWExZGUyODRmNmVjNjlkNjEyOTlmNjcxMDU5In1dfV0sInVuaXQiOiJzYXQiLCJtZW1vIjoiVGhhbmsgeW91LiJ9";
    let b = "cashuBo2F0gqJhaUgA_9SLj17PgGFwgaNhYQFhc3hAYWNjMTI0MzVlN2I4NDg0YzNjZjE4NTAxNDkyMThhZjkwZjcxNmE1MmJmNGE1ZWQzNDdlNDhlY2MxM2Y3NzM4OGFjWCECRFODGd5IXVW-07KaZCvuWHk3WrnnpiDhHki6SCQh88-iYWlIAK0mjE0fWCZhcIKjYWECYXN4QDEzMjNkM2Q0NzA3YTU4YWQyZTIzYWRhNGU5ZjFmNDlmNWE1YjRhYzdiNzA4ZWIwZDYxZjczOGY0ODMwN2U4ZWVhY1ghAjRWqhENhLSsdHrr2Cw7AFrKUL9Ffr1XN6RBT6w659lNo2FhAWFzeEA1NmJjYmNiYjdjYzY0MDZiM2ZhNWQ1N2QyMTc0ZjRlZmY4YjQ0MDJiMTc2OTI2ZDNhNTdkM2MzZGNiYjU5ZDU3YWNYIQJzEpxXGeWZN5qXSmJjY8MzxWyvwObQGr5G1YCCgHicY2FtdWh0dHA6Ly9sb2NhbGhvc3Q6MzMzOGF1Y3NhdA==";
    let token = CashuToken::parse(a).unwrap();
    assert_eq!((token.amount_msat(), token.mint()), (10_000, "https://8333.space:3338"));
    let token = CashuToken::parse(&format!(" {b}\n")).unwrap();
    assert_eq!((token.amount_msat(), token.mint()), (4000, "http://localhost:3338"));
    assert_eq!(token.expose(), b, "as it came");
}

#[test]
fn what_is_no_token_is_refused_without_being_repeated() {
    let one = |mint: &str, amount: &str, unit: &str| {
        json(&format!(
            r#"{{"token":[{{"mint":"{mint}","proofs":[{{"amount":{amount},"secret":"hush"}}]}}]{unit}}}"#
        ))
    };
    let two_mints = json(
        r#"{"token":[{"mint":"a","proofs":[{"amount":1}]},{"mint":"b","proofs":[{"amount":1}]}]}"#,
    );
    assert_eq!(CashuToken::parse(&one("m", "3", "")).unwrap().amount_msat(), 3000);
    assert_eq!(CashuToken::parse(&one("m", "3", r#","unit":"msat""#)).unwrap().amount_msat(), 3);
    for (text, error) in [
        (String::new(), TokenError::Prefix),
        ("cashuC".to_owned(), TokenError::Prefix),
        ("cashuA".to_owned(), TokenError::Content),
        ("cashuB".to_owned(), TokenError::Content),
        ("cashuAnot base64".to_owned(), TokenError::Content),
        (json("[]"), TokenError::Content),
        (json(r#"{"token":[]}"#), TokenError::Amount),
        (one("m", "0", ""), TokenError::Amount),
        (one("m", "-1", ""), TokenError::Content),
        (one("m", "18446744073709551615", ""), TokenError::Amount),
        (one("m", "1", r#","unit":"usd""#), TokenError::Unit("usd".to_owned())),
        (two_mints, TokenError::Mints),
        ("cashuA".to_owned() + &"x".repeat(MAX_TOKEN_BYTES), TokenError::TooLong),
    ] {
        let found = CashuToken::parse(&text).unwrap_err();
        assert_eq!(found, error, "{text}");
        assert!(!found.to_string().contains("hush"));
    }
}

/// Deep CBOR, long lengths that nothing follows, and every prefix.
#[test]
fn hostile_bytes_are_no_token_and_no_panic() {
    let cbor = |bytes: &[u8]| format!("cashuB{}", BASE64.encode(bytes));
    for bytes in [
        vec![0x81; 20_000],
        vec![0x9f; 20_000],
        vec![0xbf; 20_000],
        [vec![0xa1, 0x61, b'm'], vec![0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]]
            .concat(),
        vec![0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        vec![0xff],
    ] {
        assert_eq!(CashuToken::parse(&cbor(&bytes)).unwrap_err(), TokenError::Content);
    }
    let whole = json(r#"{"token":[{"mint":"m","proofs":[{"amount":1}]}]}"#);
    for end in 0..whole.len() {
        let (cut, _) = whole.split_at(end);
        CashuToken::parse(cut).unwrap_err();
    }
}

#[test]
fn a_token_is_in_no_debug_text() {
    let text = json(r#"{"token":[{"mint":"m","proofs":[{"amount":1,"secret":"hush"}]}]}"#);
    let shown = format!("{:?}", CashuToken::parse(&text).unwrap());
    assert!(shown.contains("1000") && !shown.contains("cashuA"), "{shown}");
}
