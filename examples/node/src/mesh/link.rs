//! One connected link process.

use super::Shared;
use super::config::{MAX_ANSWERS, MAX_WAITING, PATIENCE};
use super::lines::{Line, Lines};
use super::message::{Answer, Message};
use super::turn::{self, stopped};
use sovereign_core::clock::Clock;
use std::sync::Arc;
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Serves it until it hangs up or everything ends. What it asked for before it closed its side is still
/// answered.
pub(super) async fn serve(shared: Arc<Shared>, stream: UnixStream, stop: watch::Receiver<bool>) {
    let (read, write) = stream.into_split();
    let (answers, queue) = mpsc::channel(MAX_ANSWERS);
    let clock = Arc::clone(&shared.clock);
    tokio::join!(listen(shared, read, answers, stop), speak(queue, write, &*clock));
}

/// Reads on while turns run: each is a task of its own.
async fn listen(
    shared: Arc<Shared>,
    read: OwnedReadHalf,
    answers: mpsc::Sender<Answer>,
    mut stop: watch::Receiver<bool>,
) {
    let mut lines = Lines::of(read);
    let mut turns = JoinSet::new();
    loop {
        let line = tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            () = answers.closed() => break,
            Some(_) = turns.join_next() => continue,
            line = lines.next(), if turns.len() < MAX_WAITING => line,
        };
        let message = match line {
            Ok(Some(Line::Whole(line))) => Message::parse(&line).ok_or("invalid_message"),
            Ok(Some(Line::TooLong)) => Err("line_too_long"),
            Ok(None) | Err(_) => break,
        };
        let refused = match message {
            Ok(message) => match shared.desk.admit(&message) {
                Ok(ticket) => {
                    let (shared, answers, mut stop) =
                        (Arc::clone(&shared), answers.clone(), stop.clone());
                    turns.spawn(async move {
                        let answer = turn::answer(&shared, ticket, message, &mut stop).await;
                        // to nobody, when the link has gone away
                        drop(answers.send(answer).await);
                    });
                    continue;
                }
                Err((refusal, words)) => {
                    // strangers decide how often: nothing that a log keeps unasked
                    tracing::debug!(peer = ?message.peer, code = refusal.code(), "no turn");
                    Answer::refusal(Some(message.peer), refusal.code(), words)
                }
            },
            Err(code) => {
                tracing::debug!(code, "a line from the link was not read");
                Answer::refusal(None, code, "")
            }
        };
        if answers.send(refused).await.is_err() {
            break;
        }
    }
    drop(answers);
    while turns.join_next().await.is_some() {}
}

/// Writes answers until nobody is left who has one. A link that does not read is given up.
async fn speak(
    mut queue: mpsc::Receiver<Answer>,
    mut write: OwnedWriteHalf,
    clock: &(dyn Clock + 'static),
) {
    while let Some(answer) = queue.recv().await {
        let line = answer.line();
        let patience = clock.sleep_until(clock.now().after(PATIENCE));
        let is_written = tokio::select! {
            written = write.write_all(&line) => written.is_ok(),
            () = patience => {
                tracing::warn!("a link does not read its answers, and is closed");
                false
            }
        };
        if !is_written {
            return;
        }
    }
}
