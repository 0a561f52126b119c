//! One reply for one token, and asking what became of tokens.
use super::convert::{Answered, Verdict, refund_in, unread, verdict};
use super::purse::{NotTaken, Purse, Taken, TokenId};
use super::token::CashuToken;
use super::wire::Refund;
use super::{Routstr, unsupported};
use crate::http::{Headers, Incoming, Reply, bounded};
use secrecy::zeroize::Zeroizing;
use sovereign_core::backend::BackendError;
use std::sync::Arc;
use tokio::time::timeout;

/// The header in which tokens travel, both ways.
const X_CASHU: &str = "x-cashu";

/// What asking for change came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Recovered {
    /// Tokens for which change came back; it is in the purse.
    pub settled: usize,
    /// Tokens that the node is not done with, or could not be asked about.
    pub pending: usize,
    /// Tokens that the node has never seen.
    pub unclaimed: usize,
    /// Tokens that are worth nothing any more, by the node's word.
    pub rejected: usize,
}

impl Routstr {
    /// A token that covers `bound` and is worth no more than `left`, marked as sent. Change that is
    /// still out is asked for before there is said to be none.
    pub(super) async fn token_for(
        &self,
        purse: &Arc<Purse>,
        bound: u64,
        left: u64,
    ) -> Result<Taken, BackendError> {
        let node = self.config.base_url.to_string();
        let mut taken = purse.take(bound, left, &node);
        if matches!(taken, Err(NotTaken::Empty | NotTaken::TooSmall { .. }))
            && !purse.unsettled(&node).is_empty()
        {
            self.ask_for_change(purse).await;
            taken = purse.take(bound, left, &node);
        }
        taken.map_err(|why| match why {
            NotTaken::Empty => unsupported("the purse holds no unspent token".to_owned()),
            NotTaken::TooSmall { largest } => unsupported(format!(
                "one reply may cost {bound} msat, and the largest token is worth {largest}"
            )),
            NotTaken::TooLarge { smallest } => unsupported(format!(
                "the smallest token that is enough is worth {smallest} msat, and {left} are left for this turn"
            )),
            NotTaken::Purse(error) => {
                unsupported(format!("no token is sent that cannot be marked: {error}"))
            }
        })
    }

    /// Sends the request with the token. What comes back of it is in the purse before the reply is
    /// read. Gives back the reply that comes or the error that came, and what is known to be spent.
    pub(super) async fn paid_with(
        &self,
        taken: &Taken,
        body: Vec<u8>,
    ) -> Result<(Result<Incoming, Reply>, Option<u64>), BackendError> {
        let headers = Headers::default().key(X_CASHU, &taken.token.secret());
        let endpoint = crate::openai::ENDPOINT;
        let incoming = self.http.post_for_any(endpoint, headers, Some(body)).await?;
        let change = incoming.header(X_CASHU).map(|text| Zeroizing::new(text.to_owned()));
        let answered = Answered {
            status: incoming.status(),
            change: change.as_ref().map(|text| text.as_str()),
            cost_msat: cost_in(&incoming),
            body: b"",
        };
        // before the body can break: the head alone may hold the change
        let cost = self.settle(taken, answered);
        if (200..300).contains(&answered.status) {
            return Ok((Ok(incoming), cost));
        }
        let reply = incoming.whole().await?;
        let in_body = Answered { body: &reply.body, change: None, ..answered };
        let cost = cost.or_else(|| self.settle(taken, in_body));
        if let Some(token) = refund_in(&reply.body).and_then(|text| CashuToken::parse(&text).ok())
            && token != *taken.token
            && let Some(purse) = self.purse()
        {
            // one more than the head named; mostly it is the same
            drop(purse.add(token));
        }
        Ok((Err(reply), cost))
    }

    /// Moves the token by what an answer says of it. Gives back what it cost, when that is known.
    fn settle(&self, taken: &Taken, answered: Answered<'_>) -> Option<u64> {
        let purse = self.purse()?;
        let refund = refund_in(answered.body).map(Zeroizing::new);
        let said = [answered.change, refund.as_ref().map(|text| text.as_str())];
        for text in said.into_iter().flatten().filter_map(unread) {
            noted(taken.id, purse.keep_unread(text));
        }
        let amount = taken.token.amount_msat();
        let verdict = verdict(&taken.token, answered);
        let cost = match &verdict {
            Verdict::Unspent => Some(0),
            Verdict::Change(tokens) => {
                let back = tokens.iter().fold(0_u64, |sum, t| sum.saturating_add(t.amount_msat()));
                Some(amount.saturating_sub(back))
            }
            Verdict::Consumed | Verdict::Rejected(_) => Some(amount),
            Verdict::Unknown => None,
        };
        noted(taken.id, purse.settle(taken.id, verdict));
        cost
    }

    /// Asks the node once about each token of the purse whose fate is unknown, and keeps the change.
    ///
    /// For after a restart and after a failure; a turn that needs the change asks by itself. A node
    /// keeps change for some days only.
    ///
    /// # Errors
    /// When it is paid by key: there is nothing to ask for.
    pub async fn recover(&self) -> Result<Recovered, BackendError> {
        match self.purse() {
            Some(purse) => Ok(self.ask_about_each(purse).await),
            None => Err(unsupported("it is paid by key, and no token is out".to_owned())),
        }
    }

    /// The same within the time of one question, for in between.
    pub(super) async fn ask_for_change(&self, purse: &Arc<Purse>) {
        // what is not answered now is asked for later
        let _late = timeout(self.config.probe_timeout, self.ask_about_each(purse)).await;
    }

    async fn ask_about_each(&self, purse: &Arc<Purse>) -> Recovered {
        let node = self.config.base_url.to_string();
        let mut recovered = Recovered::default();
        for (id, token) in purse.unsettled(&node) {
            let asked = bounded(self.config.probe_timeout, self.change_for(&token)).await;
            match asked {
                Ok(Change::Is(verdict @ Verdict::Rejected(_))) => {
                    recovered.rejected = recovered.rejected.saturating_add(1);
                    noted(id, purse.settle(id, verdict));
                }
                Ok(Change::Is(verdict)) => {
                    recovered.settled = recovered.settled.saturating_add(1);
                    noted(id, purse.settle(id, verdict));
                }
                Ok(Change::NeverSeen) => {
                    recovered.unclaimed = recovered.unclaimed.saturating_add(1);
                    // one that was already is one still
                    drop(purse.unclaimed(id, &node));
                }
                Ok(Change::Unreadable(text)) => {
                    recovered.pending = recovered.pending.saturating_add(1);
                    noted(id, purse.keep_unread(&text));
                }
                Ok(Change::Pending) => recovered.pending = recovered.pending.saturating_add(1),
                Err(error) => {
                    recovered.pending = recovered.pending.saturating_add(1);
                    tracing::warn!(token = %id, %error, "change could not be asked for");
                }
            }
        }
        recovered
    }

    async fn change_for(&self, token: &CashuToken) -> Result<Change, BackendError> {
        let headers = Headers::default().key(X_CASHU, &token.secret());
        let incoming = self.http.post_for_any("balance/refund", headers, None).await?;
        let header = incoming.header(X_CASHU).map(|text| Zeroizing::new(text.to_owned()));
        let reply = incoming.whole().await?;
        let body = serde_json::from_slice::<Refund>(&reply.body).ok();
        let body = body.and_then(|refund| refund.token).map(Zeroizing::new);
        let said: Vec<_> = [header, body].into_iter().flatten().collect();
        let parsed = said.iter().find_map(|text| CashuToken::parse(text).ok());
        Ok(match (reply.status, parsed) {
            (_, Some(change)) if change == *token => Change::Is(Verdict::Unspent),
            (_, Some(change)) => Change::Is(Verdict::Change(vec![change])),
            (404, None) => Change::NeverSeen,
            (410, None) => Change::Is(Verdict::Rejected("swept")),
            (_, None) => match said.iter().find_map(|text| unread(text)) {
                Some(text) => Change::Unreadable(Zeroizing::new(text.to_owned())),
                None => Change::Pending,
            },
        })
    }
}

enum Change {
    Is(Verdict),
    NeverSeen,
    Pending,
    Unreadable(Zeroizing<String>),
}

/// What the head says that the reply cost.
pub(super) fn cost_in(incoming: &Incoming) -> Option<u64> {
    incoming.header("x-routstr-cost-msats")?.trim().parse().ok()
}

/// A change of the purse that could not be kept on the disk holds in memory, and the node can be asked
/// for it again.
fn noted(id: TokenId, kept: Result<(), super::PurseError>) {
    if let Err(error) = kept {
        tracing::error!(token = %id, %error, "what became of a token is not on the disk yet");
    }
}
