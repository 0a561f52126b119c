//! What bodies and headers of a node mean, without any input or output.
use super::token::CashuToken;
use super::wire::{Charged, Model, Models, Price};
use crate::failure::Said;
use serde_json::Value;

/// What became of a token that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is as good as before.
    Unspent,
    /// It is gone; this came back for it.
    Change(Vec<CashuToken>),
    /// It is gone, and the reply cost all of it.
    Consumed,
    /// The node says that nobody will take it any more, by this word.
    Rejected(&'static str),
    /// Nobody can say yet.
    Unknown,
}

/// What a node says of a token that it will not take and that nobody will (`code` or `type`).
const GONE: [&str; 5] = [
    "cashu_token_already_spent",
    "token_already_spent",
    "cashu_token_consumed",
    "token_consumed",
    "cashu_token_zero_value",
];

/// What a node says when its mint did not answer: the token is as good as before.
const TRANSIENT: [&str; 3] = ["mint_unreachable", "mint_rate_limited", "mint_timeout"];

/// One answer to a payment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answered<'a> {
    pub(super) status: u16,
    /// The header `X-Cashu`.
    pub(super) change: Option<&'a str>,
    /// The header `X-Routstr-Cost-Msats`.
    pub(super) cost_msat: Option<u64>,
    /// Of an error; empty otherwise.
    pub(super) body: &'a [u8],
}

/// What an answer says of the token that it was paid with. Texts that begin like a token and cannot be
/// read are for the caller to keep: see [`unread`].
pub(super) fn verdict(paid: &CashuToken, answered: Answered<'_>) -> Verdict {
    let refund = refund_in(answered.body);
    let said = [answered.change, refund.as_deref()];
    let tokens = said.into_iter().flatten().filter_map(|text| CashuToken::parse(text).ok());
    let mut change: Vec<CashuToken> = Vec::new();
    for token in tokens {
        if token == *paid {
            return Verdict::Unspent;
        }
        if !change.contains(&token) {
            change.push(token);
        }
    }
    if !change.is_empty() {
        return Verdict::Change(change);
    }
    if said.into_iter().flatten().any(|text| unread(text).is_some()) {
        return Verdict::Unknown;
    }
    if (200..300).contains(&answered.status) {
        return match answered.cost_msat {
            Some(cost) if cost >= paid.amount_msat() => Verdict::Consumed,
            _ => Verdict::Unknown,
        };
    }
    let words = Said::read(answered.body);
    if let Some(word) = GONE.into_iter().find(|word| words.has_word(word)) {
        return Verdict::Rejected(word);
    }
    if answered.status == 503 && TRANSIENT.into_iter().any(|word| words.has_word(word)) {
        return Verdict::Unspent;
    }
    Verdict::Unknown
}

/// A text that begins like a token and is none that we can read: perhaps cash all the same.
pub(super) fn unread(text: &str) -> Option<&str> {
    let text = text.trim_ascii();
    (text.starts_with("cashu") && CashuToken::parse(text).is_err()).then_some(text)
}

/// The token in an error's body: `error.refund_token`, wherever the error stands.
pub(super) fn refund_in(body: &[u8]) -> Option<String> {
    let whole: Value = serde_json::from_slice(body).ok()?;
    let detail = whole.get("detail");
    let errors = [whole.get("error"), detail.and_then(|detail| detail.get("error")), detail];
    let found = errors.into_iter().flatten().chain([&whole]);
    found.filter_map(|error| error.get("refund_token")?.as_str()).next().map(ToOwned::to_owned)
}

fn named<'m>(models: &'m Models, model: &str) -> Option<&'m Model> {
    models.data.iter().find(|m| m.id == model || m.alias_ids.iter().any(|a| a == model))
}

/// What the list says that the model holds, in tokens.
pub(super) fn window_of(models: &Models, model: &str) -> Option<u32> {
    u32::try_from(named(models, model)?.context_length.as_ref()?.as_u64()?).ok()
}

/// The price of a model, when the list has one that can be counted with.
pub(super) fn price_of(models: &Models, model: &str) -> Option<Price> {
    let price = named(models, model)?.sats_pricing?;
    let counts = |sats: f64| sats.is_finite() && sats >= 0.0;
    [price.prompt, price.completion, price.request].into_iter().all(counts).then_some(price)
}

/// The most that one reply can cost at that price: no token is shorter than a byte.
pub(super) fn bound_msat(price: Price, sent_bytes: usize, max_tokens: u32) -> Option<u64> {
    let bytes = f64::from(u32::try_from(sent_bytes).ok()?);
    msat_of_sats(price.request + price.prompt * bytes + price.completion * f64::from(max_tokens))
}

/// Rounded up to whole thousandths; `None` for what is no amount.
pub(super) fn msat_of_sats(sats: f64) -> Option<u64> {
    let msat = (sats * 1000.0).ceil();
    // far more than there are, and every whole number below is exact
    if !(0.0..=9.0e15).contains(&msat) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number within the range above"
    )]
    Some(msat as u64)
}

/// What a reply cost, by its body or its last frame.
pub(super) fn charged(json: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Charged>(json).ok()?.msat()
}

/// The same bytes without any token or key in them, for a message that people and logs see.
pub(super) fn without_cash(body: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(body).into_owned();
    for prefix in ["cashuA", "cashuB", "sk-"] {
        let mut clean = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some((before, from)) = rest.split_once(prefix) {
            clean.push_str(before);
            clean.push_str(prefix);
            clean.push('…');
            rest = from.trim_start_matches(|c: char| {
                c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=' | '+' | '/')
            });
        }
        clean.push_str(rest);
        text = clean;
    }
    text.into_bytes()
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
