//! A storage that loses power.
use super::*;
use std::collections::BTreeMap;

/// A disk as files on it are: what was not synced may be lost or torn, a name that was moved may be
/// where it was. It stops for good at the operation it is told to.
#[derive(Default)]
pub(super) struct Lossy {
    pub(super) disk: Mutex<Model>,
}

#[derive(Default, Clone)]
pub(super) struct Model {
    /// What the program sees.
    seen: BTreeMap<String, Vec<u8>>,
    /// What would be there after losing power now, one way or the other.
    durable: Vec<BTreeMap<String, Vec<u8>>>,
    operations: usize,
    pub(super) stop_at: Option<usize>,
}

fn stopped() -> FileError {
    let source = std::io::Error::other("power is gone");
    FileError::System { doing: "use", path: PathBuf::from("model"), source }
}

impl Model {
    /// One operation of the kernel: what is on the disk after it, if power goes now.
    fn step(&mut self, outcomes: Vec<BTreeMap<String, Vec<u8>>>) -> Result<(), FileError> {
        if self.stop_at == Some(self.operations) {
            return Err(stopped());
        }
        self.operations += 1;
        self.durable = outcomes;
        Ok(())
    }

    fn settled(&self) -> BTreeMap<String, Vec<u8>> {
        self.durable.first().cloned().unwrap_or_default()
    }
}

impl Storage for Lossy {
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        Ok(self.disk.lock().unwrap().seen.get(name).cloned())
    }

    /// It has no clock.
    fn written_at(&self, _: &str) -> Result<Option<Timestamp>, FileError> {
        Ok(None)
    }

    /// As `write_private`: a sibling, its bytes, sync, rename, sync of the directory.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        let mut disk = self.disk.lock().unwrap();
        let (old, temp) = (disk.settled(), format!(".{name}.1.tmp"));
        let with = |content: &[u8]| {
            let mut files = old.clone();
            files.insert(temp.clone(), content.to_vec());
            files
        };
        disk.step(vec![old.clone(), with(b"")])?;
        let torn = [0, bytes.len() / 2, bytes.len().saturating_sub(1)].map(|n| with(&bytes[..n]));
        let zeros = with(&vec![0; bytes.len()]);
        disk.step([vec![old.clone()], torn.to_vec(), vec![zeros]].concat())?;
        disk.step(vec![with(bytes)])?;
        let mut new = old.clone();
        new.insert(name.to_owned(), bytes.to_vec());
        disk.step(vec![with(bytes), new.clone()])?;
        disk.seen = new.clone();
        disk.step(vec![new])
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        let mut disk = self.disk.lock().unwrap();
        let old = disk.settled();
        let mut new = old.clone();
        new.retain(|file, _| !file.starts_with(name));
        disk.step(vec![old, new.clone()])?;
        disk.seen = new.clone();
        disk.step(vec![new])
    }

    fn names(&self) -> Result<Vec<String>, FileError> {
        Ok(self.disk.lock().unwrap().seen.keys().cloned().collect())
    }

    fn set_aside(&self, name: &str, aside: &str) -> Result<PathBuf, FileError> {
        let mut disk = self.disk.lock().unwrap();
        let old = disk.settled();
        let mut new = old.clone();
        if let Some(bytes) = new.remove(name) {
            new.insert(aside.to_owned(), bytes);
        }
        disk.step(vec![old, new.clone()])?;
        disk.seen = new.clone();
        disk.step(vec![new])?;
        Ok(PathBuf::from(aside))
    }
}

/// The device that comes up after power went, in each way it can.
pub(super) fn after_power_loss(lossy: &Lossy) -> Vec<Arc<Lossy>> {
    let disk = lossy.disk.lock().unwrap();
    let durable =
        if disk.durable.is_empty() { vec![BTreeMap::new()] } else { disk.durable.clone() };
    let start = |files: BTreeMap<String, Vec<u8>>| {
        let model = Model { seen: files.clone(), durable: vec![files], ..Model::default() };
        Arc::new(Lossy { disk: Mutex::new(model) })
    };
    durable.into_iter().map(start).collect()
}
