use super::super::tests::{cash, mint};
use super::{
    Answered, Verdict, bound_msat, charged, msat_of_sats, price_of, refund_in, unread, verdict,
    without_cash,
};
use crate::routstr::wire::{Models, Price};

fn of(status: u16, change: Option<&str>, cost_msat: Option<u64>, body: &str) -> Verdict {
    verdict(&cash(10, 1), Answered { status, change, cost_msat, body: body.as_bytes() })
}

#[test]
fn what_an_answer_says_of_the_token_decides_and_nothing_else() {
    let (same, change) = (mint(10, 1), mint(7, 2));
    let error = |code: &str| format!(r#"{{"error":{{"type":"t","code":"{code}","message":"m"}}}}"#);
    let refund = format!(r#"{{"error":{{"message":"m","refund_token":"{change}"}}}}"#);
    let in_detail = format!(r#"{{"detail":{{"error":{{"refund_token":"{change}"}}}}}}"#);
    let changed = Verdict::Change(vec![cash(7, 2)]);
    for (status, header, cost, body, expected) in [
        (200, Some(change.as_str()), None, "", changed.clone()),
        (307, Some(change.as_str()), None, "", changed.clone()),
        (500, Some(change.as_str()), None, "<html>", changed.clone()),
        (502, None, None, refund.as_str(), changed.clone()),
        (502, Some(change.as_str()), None, refund.as_str(), changed.clone()),
        (500, None, None, in_detail.as_str(), changed),
        (402, Some(same.as_str()), None, "", Verdict::Unspent),
        (200, None, Some(10_000), "", Verdict::Consumed),
        (200, None, Some(9_999), "", Verdict::Unknown),
        (200, None, None, "", Verdict::Unknown),
        (503, None, None, &error("mint_unreachable"), Verdict::Unspent),
        (503, None, None, &error("mint_rate_limited"), Verdict::Unspent),
        (500, None, None, &error("mint_unreachable"), Verdict::Unknown),
        (503, None, None, &error("overloaded"), Verdict::Unknown),
        (
            500,
            None,
            None,
            &error("cashu_token_consumed"),
            Verdict::Rejected("cashu_token_consumed"),
        ),
        (
            400,
            None,
            None,
            &error("cashu_token_already_spent"),
            Verdict::Rejected("cashu_token_already_spent"),
        ),
        (402, None, None, &error("insufficient_balance"), Verdict::Unknown),
        (401, None, None, "", Verdict::Unknown),
        // perhaps cash: nothing may be concluded from it, also not what the cost would say
        (200, Some("cashuAxyz"), Some(10_000), "", Verdict::Unknown),
    ] {
        assert_eq!(of(status, header, cost, body), expected, "{status} {body}");
    }
}

#[test]
fn a_text_that_begins_like_a_token_is_kept_when_it_cannot_be_read() {
    assert_eq!(unread(" cashuC123 "), Some("cashuC123"));
    assert_eq!(unread(&mint(1, 1)), None);
    assert_eq!(unread("none"), None);
    assert_eq!(refund_in(br#"{"refund_token":"x"}"#).as_deref(), Some("x"));
    assert_eq!(refund_in(br#"{"error":{"refund_token":5}}"#), None);
    assert_eq!(refund_in(b"<html>"), None);
}

fn models(price: &str) -> Option<Price> {
    let list = format!(r#"{{"data":[{{"id":"other"}},{{"id":"m","alias_ids":null,{price}}}]}}"#);
    price_of(&serde_json::from_str::<Models>(&list).unwrap(), "m")
}

#[test]
fn a_price_that_cannot_be_counted_with_is_none() {
    let price = models(r#""sats_pricing":{"prompt":0.001,"completion":0.002,"x":{}}"#).unwrap();
    assert_eq!(price, Price { prompt: 0.001, completion: 0.002, request: 0.0 });
    assert_eq!(models(r#""sats_pricing":null"#), None);
    assert_eq!(models(r#""sats_pricing":{"prompt":-1,"completion":0}"#), None);
    let aliased =
        r#"{"data":[{"id":"x","alias_ids":["m"],"sats_pricing":{"prompt":1,"completion":1}}]}"#;
    assert!(price_of(&serde_json::from_str(aliased).unwrap(), "m").is_some());
    assert_eq!(price_of(&serde_json::from_str(aliased).unwrap(), "n"), None);
}

#[test]
fn a_bound_is_never_below_what_the_price_allows() {
    let price = Price { prompt: 0.001, completion: 0.003, request: 0.5 };
    assert_eq!(bound_msat(price, 1000, 100), Some(1800));
    assert_eq!(bound_msat(Price { prompt: 1e-7, ..price }, 1, 0), Some(501), "rounded up");
    assert_eq!(bound_msat(Price { prompt: 1e300, ..price }, 1000, 100), None);
    for not_an_amount in [f64::NAN, f64::INFINITY, -1.0, 1e13] {
        assert_eq!(msat_of_sats(not_an_amount), None);
    }
}

#[test]
fn what_was_charged_is_found_wherever_a_version_writes_it() {
    for (json, msat) in [
        (r#"{"usage":{"cost":{"total_msats":4000,"sats_cost":9}}}"#, Some(4000)),
        (r#"{"cost":{"total_msats":4000}}"#, Some(4000)),
        (r#"{"usage":{"cost":0.001,"cost_sats":1.2345}}"#, Some(1235)),
        (r#"{"cost":{"sats_cost":2},"usage":null}"#, Some(2000)),
        (r#"{"usage":{"cost_sats":-5}}"#, None),
        (r#"{"usage":{"completion_tokens":3}}"#, None),
        ("[]", None),
        ("", None),
    ] {
        assert_eq!(charged(json.as_bytes()), msat, "{json}");
    }
}

#[test]
fn no_message_keeps_cash_in_it() {
    let (token, key) = (mint(5, 1), format!("sk-{}", "0f".repeat(32)));
    let body = format!(r#"{{"error":{{"message":"{token} and {key}, {token}"}}}}"#);
    let clean = String::from_utf8(without_cash(body.as_bytes())).unwrap();
    assert_eq!(clean, r#"{"error":{"message":"cashuA… and sk-…, cashuA…"}}"#);
}
