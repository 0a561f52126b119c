//! Routstr: models elsewhere, over OpenAI's wire, paid in sats for each reply.
//!
//! What it may cost is known before anything is sent: a reply that could cost more than is left for
//! its turn is not asked for. A token is on the disk as sent before it is sent, and nothing is ever
//! sent again unless the node says that it is unspent; what is left of it is kept before the reply is
//! read. After a failure the node is asked for the change, and never for the reply once more.
//!
//! **Source** <https://github.com/Routstr/routstr-core>, `docs/api`.
mod budget;
mod config;
mod convert;
mod pay;
mod purse;
mod token;
mod wire;

pub use config::{Payment, ROUTSTR_MAX_MSAT_PER_TURN, ROUTSTR_URL, ROUTSTR_WINDOW, RoutstrConfig};
pub use pay::Recovered;
pub use purse::{Held, Holding, MAX_TOKENS, Purse, PurseError, TokenId};
pub use token::{CashuToken, TokenError};

use crate::http::{Headers, Incoming, ModelHttp, Reply, bounded};
use crate::openai::convert::{decode, encode};
use crate::openai::stream::{MEDIA_TYPE, Stream};
use crate::openai::{CapField, ENDPOINT, OpenAiConfig};
use crate::quote::quoted;
use crate::room;
use crate::secret::SecretKey;
use async_trait::async_trait;
use budget::{Budget, Reserved};
use convert::{bound_msat, charged, price_of, window_of, without_cash};
use pay::cost_in;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass, Request, Window,
};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use wire::{Models, Price};

/// How long a price that was read is counted with.
const PRICE_HOLDS: Duration = Duration::from_secs(600);

/// One model of one node, paid for.
#[derive(Debug)]
pub struct Routstr {
    config: RoutstrConfig,
    wire: OpenAiConfig,
    http: ModelHttp,
    budget: Budget,
    price: Mutex<Option<(Instant, Price)>>,
    /// The window of the model by the node's list, once that was read; zero while it says nothing.
    told_window: AtomicU32,
}

impl Routstr {
    /// That model, without asking the node yet.
    ///
    /// # Errors
    /// When the node is not on this device and the way there is not encrypted, or the HTTP client
    /// cannot be set up.
    pub fn new(config: RoutstrConfig) -> Result<Self, BackendError> {
        // found out before a token is marked, not when it is sent
        if !config.base_url.keeps_secrets() {
            let at = &config.base_url;
            return Err(unsupported(format!("no money is sent to `{at}` without encryption")));
        }
        let http = ModelHttp::new(config.base_url.clone())?;
        let (wire, budget) = (config.wire(), Budget::new(config.max_msat_per_turn));
        let (price, told_window) = (Mutex::default(), AtomicU32::new(0));
        Ok(Self { config, wire, http, budget, price, told_window })
    }

    fn purse(&self) -> Option<&Arc<Purse>> {
        match &self.config.payment {
            Payment::Purse(purse) => Some(purse),
            Payment::Key(_) => None,
        }
    }

    /// A token in place of a key would be redeemed as a whole, at once, by whoever runs the node.
    fn key(&self) -> Result<SecretKey, BackendError> {
        let Payment::Key(file) = &self.config.payment else {
            return Err(unsupported("it is paid with tokens".to_owned()));
        };
        let key = file.read()?;
        if key.starts_with("sk-") {
            return Ok(key);
        }
        let reason = format!("the key file `{}` holds no key (`sk-…`)", file.path().display());
        Err(unsupported(reason))
    }

    /// The price of the model, read from the node and held for a while.
    async fn price(&self) -> Result<Price, BackendError> {
        let held = *self.price.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((read, price)) = held
            && read.elapsed() < PRICE_HOLDS
        {
            return Ok(price);
        }
        let reply = self.http.get("models", Headers::default(), self.config.probe_timeout).await?;
        if !reply.is_success() {
            return Err(failure(&reply));
        }
        let models: Models = serde_json::from_slice(&reply.body).map_err(|cause| {
            let reason = "its list of models cannot be read";
            BackendError::new(FailureClass::Protocol, reason).caused_by(cause)
        })?;
        let price = price_of(&models, &self.config.model).ok_or_else(|| {
            let model = quoted(self.config.model.as_bytes());
            unsupported(format!("`{model}` has no price there, and is not asked"))
        })?;
        let told = window_of(&models, &self.config.model).unwrap_or_default();
        self.told_window.store(told, Ordering::Relaxed);
        *self.price.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), price));
        Ok(price)
    }

    async fn exchange(
        &self,
        request: &Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        if self.purse().is_none() {
            self.key()?;
        }
        let body = encode(&self.wire, CapField::MaxTokens, request)?;
        let price = self.price().await?;
        let bound = bound_msat(price, body.len(), self.config.max_tokens)
            .ok_or_else(|| unsupported("its price is more than can be counted".to_owned()))?;
        match self.purse() {
            None => self.by_key(request, body, bound, sink).await,
            Some(purse) => {
                let left = self.budget.left(request.turn);
                let taken = self.token_for(purse, bound, left).await?;
                // all of a token is in the node's hands until change comes back
                let reserved = self.reserve(request, taken.token.amount_msat())?;
                let (answer, cost) = self.paid_with(&taken, body).await?;
                if let Some(cost) = cost {
                    reserved.cost(cost);
                }
                match answer {
                    Err(reply) => Err(self.refused(&reply)),
                    Ok(incoming) => Ok(self.read(incoming, sink).await?.0),
                }
            }
        }
    }

    async fn by_key(
        &self,
        request: &Request<'_>,
        body: Vec<u8>,
        bound: u64,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let headers = Headers::default().bearer(&self.key()?);
        let reserved = self.reserve(request, bound)?;
        let incoming = self.http.post(ENDPOINT, headers, body).await?;
        let told = cost_in(&incoming);
        if !(200..300).contains(&incoming.status()) {
            let reply = incoming.whole().await?;
            // a node gives back what it reserved for what it does not answer
            reserved.cost(told.unwrap_or_default());
            return Err(self.refused(&reply));
        }
        let (turn, counted) = self.read(incoming, sink).await?;
        if let Some(cost) = told.or(counted) {
            reserved.cost(cost);
        }
        Ok(turn)
    }

    fn reserve(&self, request: &Request<'_>, msat: u64) -> Result<Reserved<'_>, BackendError> {
        self.budget.reserve(request.turn, msat).ok_or_else(|| {
            let left = self.budget.left(request.turn);
            unsupported(format!(
                "one reply may cost {msat} msat, and {left} are left for this turn"
            ))
        })
    }

    /// The reply, and what its body says that it cost.
    async fn read(
        &self,
        incoming: Incoming,
        sink: &mut dyn DeltaSink,
    ) -> Result<(BackendTurn, Option<u64>), BackendError> {
        if incoming.is_stream(MEDIA_TYPE) {
            let mut stream = Stream::default();
            incoming.into_assembly(&mut stream, sink).await?;
            let cost = charged(stream.counts());
            return Ok((stream.finish(&self.wire, self.identity())?, cost));
        }
        let reply = incoming.whole().await?;
        let turn = decode(&self.wire, self.identity(), &reply)?;
        if !turn.text.is_empty() {
            sink.text(&turn.text);
        }
        Ok((turn, charged(&reply.body)))
    }

    fn refused(&self, reply: &Reply) -> BackendError {
        if reply.status == 402 {
            // it may have become dearer
            *self.price.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        failure(reply)
    }
}

/// What an error says, without the cash that may be in it.
fn failure(reply: &Reply) -> BackendError {
    let body = without_cash(&reply.body);
    if (300..400).contains(&reply.status) {
        let reason = format!("it answered with redirect {}, and none is followed", reply.status);
        return BackendError::new(FailureClass::Protocol, reason);
    }
    crate::failure::failure(&Reply { status: reply.status, body })
}

fn unsupported(reason: String) -> BackendError {
    BackendError::new(FailureClass::Unsupported, reason)
}

#[async_trait]
impl Backend for Routstr {
    /// Always elsewhere: also a node on this device passes on what it is asked.
    fn identity(&self) -> BackendIdentity {
        let receiver = self.config.base_url.to_string();
        BackendIdentity::remote("routstr", Some(self.config.model.clone()), receiver)
    }

    /// The smaller of the configured window and the model's own, once the node has named it.
    fn window(&self) -> Option<Window> {
        let told = Some(self.told_window.load(Ordering::Relaxed)).filter(|told| *told > 0);
        let tokens = told.map_or(self.config.window, |told| told.min(self.config.window));
        Some(room::window(tokens, self.config.max_tokens))
    }

    /// Whether there is something to pay with. The node is asked nothing: not even its prices are read
    /// before a person has agreed to sending.
    async fn ready(&self) -> Result<(), BackendError> {
        match self.purse() {
            None => self.key().map(drop),
            Some(purse) if purse.may_pay() => Ok(()),
            Some(_) => Err(unsupported("the purse holds no unspent token".to_owned())),
        }
    }

    /// Waits for the smaller of `request.timeout` and the configured `reply_timeout`, and after a
    /// failure once more for an answer about the change.
    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let within = request.timeout.min(self.config.reply_timeout);
        let turn = bounded(within, self.exchange(&request, sink)).await;
        if turn.is_err()
            && let Some(purse) = self.purse()
        {
            self.ask_for_change(purse).await;
        }
        turn
    }
}

#[cfg(test)]
mod tests;
