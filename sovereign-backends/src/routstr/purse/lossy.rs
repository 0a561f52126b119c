//! A storage that loses power.
#![expect(clippy::arithmetic_side_effects, reason = "a test that overflows fails")]

use super::Purse;
use super::storage::Storage;
use sovereign_core::files::FileError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// One file as a disk holds it: what was not synced may be lost. It stops for good at the operation it
/// is told to.
#[derive(Debug, Default)]
pub(crate) struct Lossy(Mutex<Model>);

#[derive(Debug, Default, Clone)]
struct Model {
    /// What the program sees.
    seen: Option<Vec<u8>>,
    /// What would be there after losing power now, one way or the other.
    durable: Vec<Option<Vec<u8>>>,
    operations: usize,
    stop_at: Option<usize>,
}

impl Model {
    /// One operation of the kernel: what is on the disk after it, if power goes now.
    fn step(&mut self, outcomes: Vec<Option<Vec<u8>>>) -> Result<(), FileError> {
        if self.stop_at == Some(self.operations) {
            let source = std::io::Error::other("power is gone");
            return Err(FileError::System { doing: "use", path: PathBuf::from("model"), source });
        }
        self.operations += 1;
        self.durable = outcomes;
        Ok(())
    }
}

impl Lossy {
    pub(crate) fn stop_after(&self, operations: usize) {
        let mut model = self.0.lock().unwrap();
        model.stop_at = Some(model.operations + operations);
    }

    /// Power is back, and nothing was lost.
    pub(crate) fn go_on(&self) {
        self.0.lock().unwrap().stop_at = None;
    }

    /// Whether it came to that operation.
    pub(crate) fn stopped(&self) -> bool {
        let model = self.0.lock().unwrap();
        model.stop_at == Some(model.operations)
    }

    /// The device that comes up after power went, in each way it can.
    pub(crate) fn after_power_loss(&self) -> Vec<Arc<Self>> {
        let durable = self.0.lock().unwrap().durable.clone();
        let start = |file: Option<Vec<u8>>| {
            let model = Model { seen: file.clone(), durable: vec![file], ..Model::default() };
            Arc::new(Self(Mutex::new(model)))
        };
        durable.into_iter().map(start).collect()
    }
}

impl Storage for Arc<Lossy> {
    fn read(&self) -> Result<Option<Vec<u8>>, FileError> {
        Ok(self.0.lock().unwrap().seen.clone())
    }

    /// As `write_private`: a sibling and its bytes (which no purse reads), sync, rename, sync of the
    /// directory.
    fn replace(&self, bytes: &[u8]) -> Result<(), FileError> {
        let mut disk = self.0.lock().unwrap();
        let old = disk.durable.first().cloned().unwrap_or_default();
        let new = Some(bytes.to_vec());
        for _create_write_sync in 0..3 {
            disk.step(vec![old.clone()])?;
        }
        disk.step(vec![old, new.clone()])?;
        disk.seen.clone_from(&new);
        disk.step(vec![new])
    }
}

/// The purse on that storage.
pub(crate) fn purse_on(storage: Arc<Lossy>) -> Arc<Purse> {
    Arc::new(Purse::with(Box::new(storage), None).unwrap())
}

/// All that is in it, as it would be spent.
pub(crate) fn texts(purse: &Purse) -> Vec<String> {
    purse.state().entries.all.iter().map(|entry| entry.cash.expose().to_owned()).collect()
}
