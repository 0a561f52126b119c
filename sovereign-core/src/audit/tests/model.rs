//! A file system in memory that remembers what a crash could leave of it.
use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Mutex;

/// What is on a disk: names, and the bytes behind them.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Image {
    names: BTreeMap<String, usize>,
    files: BTreeMap<usize, Vec<u8>>,
}

#[derive(Clone)]
pub(super) enum Op {
    Create(String, usize),
    Rename(String, String),
    Write(usize, u64, Vec<u8>),
    Cut(usize, u64),
    Sync(usize),
    SyncNames,
}

impl Op {
    /// The file whose sync makes it durable; none for the directory's.
    fn target(&self) -> Option<usize> {
        match self {
            Self::Write(file, ..) | Self::Cut(file, _) | Self::Sync(file) => Some(*file),
            Self::Create(..) | Self::Rename(..) | Self::SyncNames => None,
        }
    }
}

impl Image {
    fn apply(&mut self, op: &Op) {
        match op {
            Op::Create(name, file) => {
                self.names.insert(name.clone(), *file);
            }
            Op::Rename(from, to) => {
                if let Some(file) = self.names.remove(from) {
                    self.names.insert(to.clone(), file);
                }
            }
            Op::Write(file, offset, bytes) => {
                let content = self.files.entry(*file).or_default();
                let start = usize::try_from(*offset).unwrap();
                let end = start + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[start..end].copy_from_slice(bytes);
            }
            Op::Cut(file, len) => {
                self.files.entry(*file).or_default().resize(usize::try_from(*len).unwrap(), 0);
            }
            Op::Sync(_) | Op::SyncNames => {}
        }
    }

    fn with<'a>(&self, ops: impl IntoIterator<Item = &'a Op>) -> Self {
        let mut image = self.clone();
        ops.into_iter().for_each(|op| image.apply(op));
        image
    }
}

/// Every state that a crash right after these operations can leave: what was synced, any prefix of what
/// was not, one file's part of it without or instead of the others', and the last write torn at any
/// byte, its rest missing or zeros.
pub(super) fn crashes(start: &Image, ops: &[Op], step: usize) -> BTreeSet<Image> {
    let mut durable = start.clone();
    let mut pending: Vec<&Op> = Vec::new();
    for op in ops {
        match op {
            Op::Sync(_) | Op::SyncNames => {
                let target = op.target();
                let (now, later): (Vec<_>, Vec<_>) =
                    pending.into_iter().partition(|p| p.target() == target);
                durable = durable.with(now);
                pending = later;
            }
            _ => pending.push(op),
        }
    }
    let mut states = BTreeSet::new();
    for kept in 0..=pending.len() {
        states.insert(durable.with(pending[..kept].iter().copied()));
    }
    for target in pending.iter().map(|op| op.target()).collect::<BTreeSet<_>>() {
        for own in [true, false] {
            let kept = pending.iter().copied().filter(|op| (op.target() == target) == own);
            states.insert(durable.with(kept));
        }
    }
    if let (Some(Op::Write(file, offset, bytes)), Some((_, before))) =
        (ops.last(), pending.split_last())
    {
        let base = durable.with(before.iter().copied());
        for torn in (0..bytes.len()).step_by(step) {
            let mut left = bytes[..torn].to_vec();
            states.insert(base.with([&Op::Write(*file, *offset, left.clone())]));
            if torn % (8 * step) == 0 {
                left.resize(bytes.len(), 0);
                states.insert(base.with([&Op::Write(*file, *offset, left)]));
            }
        }
    }
    states
}

/// The live file system: what the program sees, and all it did.
#[derive(Clone, Default)]
pub(super) struct Model(Arc<Mutex<Live>>);

#[derive(Default)]
struct Live {
    image: Image,
    ops: Vec<Op>,
    made: usize,
}

impl Model {
    pub(super) fn on(image: Image) -> Self {
        // names can be lost while the bytes stay, and the other way round: no number comes twice
        let made = image.files.keys().chain(image.names.values()).max().map_or(0, |last| *last);
        Self(Arc::new(Mutex::new(Live { image, ops: Vec::new(), made })))
    }

    pub(super) fn ops(&self) -> Vec<Op> {
        self.0.lock().unwrap().ops.clone()
    }

    pub(super) fn image(&self) -> Image {
        self.0.lock().unwrap().image.clone()
    }

    fn did(&self, op: Op) {
        let mut live = self.0.lock().unwrap();
        live.image.apply(&op);
        live.ops.push(op);
    }
}

impl Storage for Model {
    fn open(&self, name: &str) -> Result<Option<Box<dyn LogFile>>, FileError> {
        let file = self.0.lock().unwrap().image.names.get(name).copied();
        Ok(file.map(|file| Box::new(ModelFile(self.clone(), file)) as Box<dyn LogFile>))
    }
    fn create(&self, name: &str) -> Result<Box<dyn LogFile>, FileError> {
        if let Some(file) = self.open(name)? {
            return Ok(file);
        }
        let file = {
            let mut live = self.0.lock().unwrap();
            live.made += 1;
            live.made
        };
        self.did(Op::Create(name.to_owned(), file));
        Ok(Box::new(ModelFile(self.clone(), file)))
    }
    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        self.did(Op::Rename(from.to_owned(), to.to_owned()));
        Ok(())
    }
    fn sync(&self) -> Result<(), FileError> {
        self.did(Op::SyncNames);
        Ok(())
    }
    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from("/model").join(name)
    }
}

struct ModelFile(Model, usize);

impl LogFile for ModelFile {
    fn len(&self) -> io::Result<u64> {
        let live = self.0.0.lock().unwrap();
        Ok(live.image.files.get(&self.1).map_or(0, |bytes| bytes.len() as u64))
    }
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let live = self.0.0.lock().unwrap();
        let bytes = live.image.files.get(&self.1).map_or(&[][..], Vec::as_slice);
        let rest = bytes.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let read = rest.len().min(into.len());
        into[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.did(Op::Write(self.1, offset, bytes.to_vec()));
        Ok(())
    }
    fn cut(&self, len: u64) -> io::Result<()> {
        self.0.did(Op::Cut(self.1, len));
        Ok(())
    }
    fn reserve(&self, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }
    fn sync(&self) -> io::Result<()> {
        self.0.did(Op::Sync(self.1));
        Ok(())
    }
}
