//! Money is never lost and never sent twice, whatever the node does and wherever the power goes.
#![expect(clippy::arithmetic_side_effects, reason = "a test that overflows fails")]

mod crash;
mod flow;
mod node;

use super::{CashuToken, Payment, Purse, Routstr, RoutstrConfig};
use crate::Streaming;
use base64::Engine as _;
use node::{Node, Way};
use sovereign_core::backend::{Backend, BackendError, BackendTurn, Message, Request};
use sovereign_core::prelude::*;
use sovereign_core::testing::Harness;
use std::sync::Arc;
use std::time::Duration;

/// A token of that many sats; the number makes it a different one.
pub(super) fn mint(sats: u64, number: u64) -> String {
    let json = format!(
        r#"{{"token":[{{"mint":"https://mint.example","proofs":[{{"amount":{sats},"id":"00","secret":"s{number}","C":"02"}}]}}],"unit":"sat"}}"#
    );
    format!("cashuA{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json))
}

pub(super) fn cash(sats: u64, number: u64) -> CashuToken {
    CashuToken::parse(&mint(sats, number)).unwrap()
}

/// Tells whether the node is healthy.
#[capability(name = "system.health", side_effect = read_only, network = local, category = system)]
struct Health {}

impl Run for Health {
    type State = ();
    type Output = bool;
    async fn run(self, _: Call<'_, Self>) -> Result<bool, Failure> {
        Ok(true)
    }
}

static HERE: Plugin<()> = Plugin::new("here", &[Health::ENTRY]);

const LONG: Duration = Duration::from_secs(30);

/// A leg at that node which pays from that purse.
fn leg(node: &Node, purse: &Arc<Purse>) -> Routstr {
    let never_answers = node.books().way == Way::TakesAndHangs;
    leg_within(node, purse, if never_answers { Duration::from_millis(60) } else { LONG })
}

fn leg_within(node: &Node, purse: &Arc<Purse>, reply_timeout: Duration) -> Routstr {
    let payment = Payment::Purse(Arc::clone(purse));
    let config = RoutstrConfig::new(node.url().parse().unwrap(), "m", payment);
    Routstr::new(RoutstrConfig {
        max_tokens: 500,
        streaming: Streaming::Never,
        reply_timeout,
        ..config
    })
    .unwrap()
}

async fn ask(leg: &Routstr) -> Result<BackendTurn, BackendError> {
    let lab = Harness::install(&HERE, Arc::default()).build();
    let catalog = lab.executor.catalog(&lab.scope);
    let messages = [Message::User("hello".to_owned())];
    let mut sink = String::new();
    leg.send(Request::new("Be brief.", &messages, &catalog, LONG), &mut sink).await
}
