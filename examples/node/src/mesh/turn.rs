//! One turn of one peer.

use super::desk::Ticket;
use super::message::{Answer, Message};
use super::{Peer, Sent, Shared};
use sovereign_core::backend::{Backend, Locality};
use sovereign_core::conversation::{Conversation, Event};
use sovereign_core::host::Decision;
use sovereign_core::policy::RemoteInference;
use std::sync::Arc;
use tokio::sync::watch;

/// Runs a turn to its end; a shutdown stops it, and waits until its records are written.
pub(super) async fn answer(
    shared: &Shared,
    ticket: Ticket,
    message: Message,
    stop: &mut watch::Receiver<bool>,
) -> Answer {
    let Message { peer, text } = message;
    let place = tokio::select! {
        biased;
        () = stopped(stop) => None,
        place = ticket.place() => place,
    };
    let ends = |peer| Answer::refusal(Some(peer), "shutting_down", "");
    if place.is_none() {
        return ends(peer);
    }
    let conversation = open(shared, &peer, &ticket).await;
    let Ok(mut turn) = conversation.say(text) else {
        return Answer::refusal(Some(peer), "busy", "");
    };
    loop {
        let event = tokio::select! {
            biased;
            () = stopped(stop) => {
                turn.cancel().await;
                return ends(peer);
            }
            event = turn.next() => event,
        };
        match event {
            // core asks nobody on behalf of a mesh caller; if it did, the answer is no
            Some(Event::ConfirmationRequested(request)) => drop(request.decide(Decision::Deny)),
            Some(Event::Finished(report)) => {
                return Answer::finished(peer, &report, shared.config.reply_bytes);
            }
            Some(_) => {}
            None => return ends(peer),
        }
    }
}

/// Ends when everything shall.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // when whoever could say so is gone, everything shall
    drop(stop.wait_for(|stop| *stop).await);
}

/// A conversation for one turn. What a contact said before comes from its transcript; so nothing of a
/// peer stays in memory, and nothing of a stranger on the disk.
async fn open(shared: &Shared, peer: &Peer, ticket: &Ticket) -> Conversation {
    let builder = || {
        Conversation::builder(&shared.executor, peer.scope())
            .legs(legs(shared))
            .limits(shared.config.limits)
    };
    let kept = shared.histories.as_ref().filter(|_| ticket.is_contacts());
    let Some(histories) = kept.map(Arc::clone) else { return builder().open() };
    let remembered = builder();
    let loaded = tokio::task::spawn_blocking(move || remembered.remembered_in(&histories)).await;
    match loaded {
        Ok(Ok((builder, _))) => builder.open(),
        Ok(Err(error)) => {
            tracing::error!(?peer, %error, "the transcript of a peer cannot be used");
            builder().open()
        }
        Err(_) => builder().open(),
    }
}

/// Who may answer, asked anew for each turn. Money and data leave the device only when the operator
/// wants that for mesh callers and for everybody.
fn legs(shared: &Shared) -> Vec<Arc<dyn Backend>> {
    let may_leave = shared.config.sent == Sent::ByPolicy
        && shared.executor.policy().remote_inference() == RemoteInference::Always;
    let stays = |leg: &Arc<dyn Backend>| leg.identity().locality == Locality::Local;
    (shared.legs)().into_iter().filter(|leg| may_leave || stays(leg)).collect()
}
