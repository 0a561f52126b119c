//! The event stream: one JSON object a line, for a page that reads it with `fetch`.

use axum::body::Bytes;
use futures_core::Stream;
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// How many events may wait for a slow reader before it is cut off.
const QUEUE: usize = 512;
/// How many streams one session may have: a browser keeps six connections to one host, and a decision
/// must not wait for one of them.
const MAX_STREAMS: usize = 4;
/// How often a stream shows that it is alive.
const PING: Duration = Duration::from_secs(15);

/// The open streams of one session. Telling never waits: who does not keep up is cut off.
#[derive(Default)]
pub(crate) struct Watchers(Vec<mpsc::Sender<Bytes>>);

impl Watchers {
    /// Tells everybody.
    pub(crate) fn tell(&mut self, event: &impl Serialize) {
        if self.0.is_empty() {
            return;
        }
        let line = line(event);
        self.0.retain(|watcher| watcher.try_send(line.clone()).is_ok());
    }

    /// One more, which hears `first` before anything else; the oldest goes when there are too many.
    pub(crate) fn admit(&mut self, first: &impl Serialize) -> mpsc::Receiver<Bytes> {
        let (sender, receiver) = mpsc::channel(QUEUE);
        // INVARIANT: an empty queue has room
        drop(sender.try_send(line(first)));
        self.0.retain(|watcher| !watcher.is_closed());
        while self.0.len() >= MAX_STREAMS {
            // so that it does not come back by itself
            drop(self.0.remove(0).try_send(Bytes::from_static(b"{\"type\":\"replaced\"}\n")));
        }
        self.0.push(sender);
        receiver
    }

    /// Ends all streams.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

fn line(event: &impl Serialize) -> Bytes {
    // INVARIANT: events are structs of ids, words and JSON texts
    let mut text = serde_json::to_vec(event).unwrap_or_default();
    text.push(b'\n');
    text.into()
}

/// The body of one stream.
pub(crate) struct Events {
    lines: mpsc::Receiver<Bytes>,
    ping: Interval,
    /// Whether the session still is one.
    alive: Box<dyn Fn() -> bool + Send>,
}

impl Events {
    pub(crate) fn new(
        lines: mpsc::Receiver<Bytes>,
        alive: impl Fn() -> bool + Send + 'static,
    ) -> Self {
        let mut ping = interval(PING);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ping.reset();
        Self { lines, ping, alive: Box::new(alive) }
    }
}

impl Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(line) = self.lines.poll_recv(cx) {
            return Poll::Ready(line.map(Ok));
        }
        if self.ping.poll_tick(cx).is_pending() {
            return Poll::Pending;
        }
        let ping = (self.alive)().then(|| Ok(Bytes::from_static(b"{\"type\":\"ping\"}\n")));
        Poll::Ready(ping)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_STREAMS, QUEUE, Watchers};

    fn text(line: Option<axum::body::Bytes>) -> String {
        line.map(|line| String::from_utf8_lossy(&line).into_owned()).unwrap_or_default()
    }

    #[tokio::test]
    async fn a_reader_that_does_not_keep_up_is_cut_off_and_holds_up_nobody() {
        let mut watchers = Watchers::default();
        let mut slow = watchers.admit(&"first");
        for n in 0..QUEUE * 2 {
            watchers.tell(&n);
        }
        let mut lines = Vec::new();
        while let Some(line) = slow.recv().await {
            lines.push(text(Some(line)));
        }
        assert_eq!((lines.len(), lines[0].as_str()), (QUEUE, "\"first\"\n"));
    }

    #[tokio::test]
    async fn the_oldest_stream_makes_room_and_is_told() {
        let mut watchers = Watchers::default();
        let mut all: Vec<_> = (0..=MAX_STREAMS).map(|n| watchers.admit(&n)).collect();
        watchers.tell(&"news");
        let mut oldest = all.remove(0);
        assert_eq!(text(oldest.recv().await), "0\n");
        assert_eq!(text(oldest.recv().await), "{\"type\":\"replaced\"}\n");
        assert_eq!(oldest.recv().await, None);
        for mut stream in all {
            drop(stream.recv().await);
            assert_eq!(text(stream.recv().await), "\"news\"\n");
        }
    }
}
