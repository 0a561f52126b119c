//! The JSON of a node beside `/chat/completions`: prices, what was charged, and change.
//!
//! **Source** <https://github.com/Routstr/routstr-core>, `docs/api`.
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// `GET …/models`
#[derive(Debug, Deserialize)]
pub(super) struct Models {
    pub(super) data: Vec<Model>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Model {
    pub(super) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) alias_ids: Vec<String>,
    pub(super) sats_pricing: Option<Price>,
    pub(super) context_length: Option<Value>,
}

/// Sats for one token, and for one request.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Price {
    pub(super) prompt: f64,
    pub(super) completion: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) request: f64,
}

/// `POST …/balance/refund`
#[derive(Deserialize)]
pub(super) struct Refund {
    pub(super) token: Option<String>,
}

/// What a body says beside its message.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Charged {
    usage: Option<Value>,
    cost: Option<Value>,
}

impl Charged {
    /// Thousandths of a sat, wherever this version of the node writes them.
    pub(super) fn msat(&self) -> Option<u64> {
        let usage = self.usage.as_ref();
        let costs = [self.cost.as_ref(), usage.and_then(|usage| usage.get("cost"))];
        let whole = costs.iter().flatten().find_map(|cost| cost.get("total_msats")?.as_u64());
        let sats = || {
            let of_usage = usage.and_then(|usage| usage.get("cost_sats")?.as_f64());
            of_usage.or_else(|| costs.iter().flatten().find_map(|c| c.get("sats_cost")?.as_f64()))
        };
        whole.or_else(|| super::convert::msat_of_sats(sats()?))
    }
}

/// `null` means the same as nothing at all.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}
