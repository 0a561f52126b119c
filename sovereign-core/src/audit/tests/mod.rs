//! The log on disk, on real files.
#![expect(clippy::arithmetic_side_effects, reason = "a test that overflows fails")]
mod conformance;
mod content;
mod crash;
mod damage;
mod export;
mod in_place;
mod model;
mod moved;
mod quota;
mod reading;
mod recent;
mod rotation;
mod sealing;
mod space;
mod start;

use super::chain::Chain;
use super::head::HEAD;
use super::storage::{Disk, LogFile, Storage};
use super::*;
use crate::BoxFuture;
use crate::caller::ScopeKind;
use crate::capability::{Network, SideEffect};
use crate::clock::{Clock, Moment};
use crate::entropy::{Entropy, EntropyError};
use crate::files::FileError;
use crate::id::{IdSource, InvocationId};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, SystemTime};

/// Stands still at 2026-01-02T03:04:05.678Z.
struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Moment {
        Moment(Duration::ZERO)
    }
    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_323_045_678)
    }
    fn sleep_until(&self, _: Moment) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

struct Same;

impl Entropy for Same {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        bytes.fill(0xab);
        Ok(())
    }
}

/// Makes records of one run.
struct Records(IdSource);

impl Records {
    fn new() -> Self {
        Self(IdSource::new(&Same).unwrap())
    }

    fn call(&self, mark: Mark) -> CallRecord {
        CallRecord {
            id: self.0.invocation(),
            turn: self.0.turn(),
            at: Fixed.wall(),
            caller: ScopeKind::Operator,
            named: Named::Registered {
                name: "web.fetch",
                version: 2,
                side_effect: SideEffect::ReadOnly,
                network: Network::External,
            },
            point: Point::At(Stage::Execute),
            mark,
            code: None,
            changed: None,
            argument_bytes: 24,
            result_bytes: 0,
            took: Duration::from_micros(1500),
        }
    }

    fn ended(&self) -> Record {
        Record::Call(self.call(Mark::End(OutcomeKind::Executed)))
    }

    fn event(&self, event: Administrative) -> Record {
        let boot = Some(self.0.boot());
        Record::Administrative(AdministrativeRecord { at: Fixed.wall(), boot, event })
    }
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn dir(&self) -> PathBuf {
        self.0.path().join("audit")
    }

    fn log(&self) -> PathBuf {
        self.dir().join("000001.jsonl")
    }

    fn head(&self) -> PathBuf {
        self.dir().join("head")
    }

    fn open(&self) -> Opened {
        FileAudit::open(&self.dir(), &Fixed).unwrap()
    }

    /// With files so short that the log goes on in another one after a few records.
    fn open_short(&self) -> Opened {
        let options = LogOptions::default().file_bytes(1500);
        FileAudit::open_with(&self.dir(), &Fixed, options).unwrap()
    }

    /// A closed log of these records.
    fn written(records: impl IntoIterator<Item = Record>) -> Self {
        let home = Self::new();
        let options = LogOptions::default().refusals_a_minute(1000);
        let audit = FileAudit::open_with(&home.dir(), &Fixed, options).unwrap().audit;
        records.into_iter().for_each(|record| audit.append(record).unwrap());
        drop(audit);
        home
    }

    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.log()).unwrap();
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    /// Changes the file from outside; in place, since a file system may wait for one emptied first.
    fn overwrite(path: &Path, bytes: &[u8]) {
        use std::os::unix::fs::{FileExt, OpenOptionsExt};
        let mut options = std::fs::File::options();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(path).unwrap();
        file.write_all_at(bytes, 0).unwrap();
        file.set_len(bytes.len() as u64).unwrap();
    }

    fn damage(&self) -> Damage {
        match verify(&self.dir()) {
            Err(LogError::Damaged(damage)) => damage,
            other => panic!("not damaged: {other:?}"),
        }
    }
}

/// Both slots of a head file.
fn slots(first: &Head, second: &Head) -> Vec<u8> {
    let mut bytes = first.slot().unwrap();
    bytes.resize(1 << 16, 0);
    bytes.extend(second.slot().unwrap());
    bytes
}

/// A disk that fails when told to, counts its syncs, and holds each until it may go on.
struct Flaky {
    disk: Disk,
    controls: Arc<Controls>,
    gate: Gate,
}

/// Announces each sync of the log, then waits for leave.
type Gate = Option<Arc<std::sync::Mutex<(Sender<()>, Receiver<()>)>>>;

#[derive(Default)]
struct Controls {
    syncs: AtomicUsize,
    /// The threads that synced the log, in order.
    by: std::sync::Mutex<Vec<std::thread::ThreadId>>,
    heads: AtomicUsize,
    head_syncs: AtomicUsize,
    refuse_append: AtomicBool,
    refuse_sync: AtomicBool,
    refuse_head: AtomicBool,
    refuse_reserve: AtomicBool,
    refuse_create: AtomicBool,
    /// The most that can be reserved at once.
    room: std::sync::OnceLock<u64>,
    /// Told of each sync of the head.
    head_synced: std::sync::OnceLock<Sender<()>>,
}

fn unless(flag: &AtomicBool) -> std::io::Result<()> {
    if flag.load(Ordering::SeqCst) { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) }
}

impl Flaky {
    fn around(&self, name: &str, file: Box<dyn LogFile>) -> Box<dyn LogFile> {
        let (controls, gate) = (Arc::clone(&self.controls), self.gate.clone());
        Box::new(FlakyFile { file, head: name == HEAD, controls, gate })
    }
}

impl Storage for Flaky {
    fn open(&self, name: &str) -> Result<Option<Box<dyn LogFile>>, FileError> {
        Ok(self.disk.open(name)?.map(|file| self.around(name, file)))
    }
    fn create(&self, name: &str) -> Result<Box<dyn LogFile>, FileError> {
        let path = self.path(name);
        unless(&self.controls.refuse_create).map_err(crate::files::doing("create", &path))?;
        Ok(self.around(name, self.disk.create(name)?))
    }
    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        self.disk.rename(from, to)
    }
    fn sync(&self) -> Result<(), FileError> {
        self.disk.sync()
    }
    fn path(&self, name: &str) -> PathBuf {
        self.disk.path(name)
    }
}

struct FlakyFile {
    file: Box<dyn LogFile>,
    head: bool,
    controls: Arc<Controls>,
    gate: Gate,
}

impl LogFile for FlakyFile {
    fn len(&self) -> std::io::Result<u64> {
        self.file.len()
    }
    fn read_at(&self, into: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.file.read_at(into, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        if self.head {
            self.controls.heads.fetch_add(1, Ordering::SeqCst);
            unless(&self.controls.refuse_head)?;
        } else if let Err(error) = unless(&self.controls.refuse_append) {
            // as a full disk does: a part still fits
            self.file.write_at(&bytes[..bytes.len() / 2], offset)?;
            return Err(error);
        }
        self.file.write_at(bytes, offset)
    }
    fn cut(&self, len: u64) -> std::io::Result<()> {
        self.file.cut(len)
    }
    fn reserve(&self, offset: u64, bytes: u64) -> std::io::Result<()> {
        unless(&self.controls.refuse_reserve)?;
        if self.controls.room.get().is_some_and(|room| bytes > *room) {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.file.reserve(offset, bytes)
    }
    fn sync(&self) -> std::io::Result<()> {
        if self.head {
            self.controls.head_syncs.fetch_add(1, Ordering::SeqCst);
            self.file.sync()?;
            // who no longer listens needs no word
            if let Some(told) = self.controls.head_synced.get() {
                told.send(()).unwrap_or(());
            }
            return Ok(());
        }
        self.controls.syncs.fetch_add(1, Ordering::SeqCst);
        self.controls.by.lock().unwrap().push(std::thread::current().id());
        if let Some(gate) = &self.gate {
            let gate = gate.lock().unwrap();
            gate.0.send(()).unwrap();
            gate.1.recv().unwrap();
        }
        unless(&self.controls.refuse_sync)?;
        self.file.sync()
    }
}

/// A log over a disk under control.
fn flaky_with(
    home: &Home,
    gate: Option<(Sender<()>, Receiver<()>)>,
    options: LogOptions,
) -> (FileAudit, Arc<Controls>) {
    let controls = Arc::<Controls>::default();
    let shared = Arc::clone(&controls);
    let gate = gate.map(|gate| Arc::new(std::sync::Mutex::new(gate)));
    let through = |disk| Flaky { disk, controls: shared, gate };
    let audit = super::start::open(&home.dir(), &Fixed, options, through).unwrap().audit;
    controls.heads.store(0, Ordering::SeqCst);
    controls.head_syncs.store(0, Ordering::SeqCst);
    (audit, controls)
}

/// One that seals only when asked.
fn flaky(home: &Home, gate: Option<(Sender<()>, Receiver<()>)>) -> (FileAudit, Arc<Controls>) {
    flaky_with(home, gate, LogOptions::default().idle(Duration::from_secs(3600)))
}
