//! Who is connected. When there is no room, whoever has no session, waits for no answer and was silent
//! longest makes some.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// All connections.
pub(crate) struct Guests {
    room: Arc<Semaphore>,
    next: Arc<AtomicU64>,
    inside: Mutex<BTreeMap<u64, Arc<Guest>>>,
}

/// One connection.
pub(crate) struct Guest {
    /// When it asked last, as a number of the order in which anybody did.
    last: AtomicU64,
    /// Whether it asked in a session.
    known: AtomicBool,
    /// How many whole requests of it are being answered.
    asking: AtomicUsize,
    leave: Notify,
    next: Arc<AtomicU64>,
}

/// A place for one connection; free again when this is dropped.
pub(crate) struct Place {
    pub(crate) guest: Arc<Guest>,
    guests: Arc<Guests>,
    number: u64,
    _room: OwnedSemaphorePermit,
}

impl Guests {
    pub(crate) fn new(most: usize) -> Self {
        let (next, inside) = Default::default();
        Self { room: Arc::new(Semaphore::new(most)), next, inside }
    }

    fn inside(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Guest>>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more; waits while everybody inside has a session.
    pub(crate) async fn admit(self: &Arc<Self>) -> Option<Place> {
        if self.room.available_permits() == 0 {
            self.make_room();
        }
        // INVARIANT: the semaphore is never closed
        let room = Arc::clone(&self.room).acquire_owned().await.ok()?;
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        let guest = Arc::new(Guest {
            last: AtomicU64::new(number),
            known: AtomicBool::default(),
            asking: AtomicUsize::default(),
            leave: Notify::new(),
            next: Arc::clone(&self.next),
        });
        self.inside().insert(number, Arc::clone(&guest));
        Some(Place { guest, guests: Arc::clone(self), number, _room: room })
    }

    fn make_room(&self) {
        let inside = self.inside();
        let strangers = inside.values().filter(|guest| {
            !guest.known.load(Ordering::SeqCst) && guest.asking.load(Ordering::SeqCst) == 0
        });
        if let Some(silent) = strangers.min_by_key(|guest| guest.last.load(Ordering::SeqCst)) {
            silent.leave.notify_one();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.guests.inside().remove(&self.number);
    }
}

/// A request that has come whole, until this is dropped. One that comes slowly is none: nobody keeps a
/// place by it.
pub(crate) struct Asking(Arc<Guest>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.is_heard();
        self.0.asking.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Guest {
    /// It said something, or is told something.
    pub(crate) fn is_heard(&self) {
        self.last.store(self.next.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
    }

    /// It waits for an answer.
    pub(crate) fn asks(self: &Arc<Self>) -> Asking {
        self.asking.fetch_add(1, Ordering::SeqCst);
        Asking(Arc::clone(self))
    }

    /// It has a session, and stays.
    pub(crate) fn is_known(&self) {
        self.known.store(true, Ordering::SeqCst);
    }

    /// Ends when it has to make room.
    pub(crate) async fn leaves(&self) {
        self.leave.notified().await;
    }
}

#[cfg(test)]
#[path = "guests_tests.rs"]
mod tests;
