//! Who is connected. When there is no room, whoever has no session and was silent longest makes some.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// All connections.
pub(crate) struct Guests {
    room: Arc<Semaphore>,
    next: AtomicU64,
    inside: Mutex<BTreeMap<u64, Arc<Guest>>>,
}

/// One connection.
pub(crate) struct Guest {
    /// When it asked last, as a number of the order in which anybody did.
    last: AtomicU64,
    /// Whether it asked in a session.
    known: AtomicBool,
    leave: Notify,
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
        let (next, inside) = (AtomicU64::new(0), Mutex::default());
        Self { room: Arc::new(Semaphore::new(most)), next, inside }
    }

    fn inside(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Guest>>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::SeqCst)
    }

    /// A place for one more; waits while everybody inside has a session.
    pub(crate) async fn admit(self: &Arc<Self>) -> Option<Place> {
        if self.room.available_permits() == 0 {
            self.make_room();
        }
        // INVARIANT: the semaphore is never closed
        let room = Arc::clone(&self.room).acquire_owned().await.ok()?;
        let number = self.number();
        let (last, known) = (AtomicU64::new(number), AtomicBool::new(false));
        let guest = Arc::new(Guest { last, known, leave: Notify::new() });
        self.inside().insert(number, Arc::clone(&guest));
        Some(Place { guest, guests: Arc::clone(self), number, _room: room })
    }

    fn make_room(&self) {
        let inside = self.inside();
        let strangers = inside.values().filter(|guest| !guest.known.load(Ordering::SeqCst));
        if let Some(silent) = strangers.min_by_key(|guest| guest.last.load(Ordering::SeqCst)) {
            silent.leave.notify_one();
        }
    }
}

impl Place {
    /// It asks something.
    pub(crate) fn asks(&self) {
        self.guest.last.store(self.guests.number(), Ordering::SeqCst);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.guests.inside().remove(&self.number);
    }
}

impl Guest {
    /// It has a session, and stays.
    pub(crate) fn is_known(&self) {
        self.known.store(true, Ordering::SeqCst);
    }

    /// Ends when it has to make room.
    pub(crate) async fn leaves(&self) {
        self.leave.notified().await;
    }
}
