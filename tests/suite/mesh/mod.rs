//! Peers on a radio link, over the real socket.
mod access;
mod airtime;
mod boundary;
mod lines;
mod quotas;
mod shutdown;
mod socket;

use async_trait::async_trait;
use serde_json::{Value, json};
use sovereign_core::audit::CallRecord;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Message, Request,
};
use sovereign_core::caller::{Categories, Category, Grants, ScopeKind, Unavailable};
use sovereign_core::capability::{Descriptor, Reach};
use sovereign_core::host::{CallerScope, Histories, Policy};
use sovereign_core::policy::{RemoteInference, Source, State, Switched, Switches};
use sovereign_core::testing::{Harness, Replies};
use sovereign_node::mesh::{ContactGrants, Contacts, Mesh, MeshConfig, Parts, Peer, Socket};
use sovereign_tests::{LAB, Lab};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const ALICE: &str = "!a11ce";
const BOB: &str = "!b0b";
const EVE: &str = "!e4e";

fn peer(id: &str) -> Peer {
    Peer::parse(id).unwrap()
}

/// Alice and Bob may ask, for what the system category holds.
fn contacts() -> Contacts {
    let system = || Categories::from([Category::System]);
    Contacts::default().allow(peer(ALICE), system()).allow(peer(BOB), system())
}

/// Room for many turns.
fn config() -> MeshConfig {
    let roomy = MeshConfig { turns_per_hour: 100, concurrent: 8, queued: 8, ..Default::default() };
    MeshConfig { contacts: contacts(), ..roomy }
}

/// What mesh callers are granted; a test may change it.
#[derive(Debug, Default)]
struct Granted(Mutex<Categories>);

impl Grants for Granted {
    fn granted(&self, scope: &CallerScope) -> Result<Categories, Unavailable> {
        Ok(match scope.kind() {
            ScopeKind::Mesh => self.0.lock().unwrap().clone(),
            _ => Category::STANDARD.into(),
        })
    }
}

struct On;

impl Switched for On {
    fn state(&self, _: &Descriptor) -> State {
        State { enabled: true, source: Source::Name }
    }
}

/// Everything is on; what is said of models elsewhere, a test may change.
struct AllOn(Arc<Mutex<RemoteInference>>);

impl Switches for AllOn {
    fn now(&self) -> Result<Arc<dyn Switched>, Unavailable> {
        Ok(Arc::new(On))
    }

    fn remote_inference(&self) -> RemoteInference {
        *self.0.lock().unwrap()
    }
}

/// Says what it hears, and keeps what it was sent.
#[derive(Clone, Default)]
struct Parrot(Arc<Mutex<Vec<Vec<Message>>>>);

impl Parrot {
    fn seen(&self) -> Vec<Vec<Message>> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait]
impl Backend for Parrot {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::local("parrot", None)
    }
    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }
    async fn send(
        &self,
        request: Request<'_>,
        _: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        self.0.lock().unwrap().push(request.messages.to_vec());
        let said = request.messages.iter().rev().find_map(|message| match message {
            Message::User(text) => Some(text.clone()),
            _ => None,
        });
        Ok(BackendTurn::text(self.identity(), said.unwrap_or_default()))
    }
}

/// A node with a mesh link.
struct Station {
    home: tempfile::TempDir,
    lab: Harness,
    state: Arc<Lab>,
    granted: Arc<Granted>,
    remote: Arc<Mutex<RemoteInference>>,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

impl Station {
    /// Mesh callers are granted everything, so that contacts alone decide.
    async fn of(config: MeshConfig, legs: Vec<Arc<dyn Backend>>) -> Self {
        let home = private();
        let state = Arc::new(Lab::default());
        let remote = Arc::new(Mutex::new(RemoteInference::Never));
        let granted = Arc::new(Granted(Mutex::new(Category::STANDARD.into())));
        let grants = ContactGrants::new(Arc::<Granted>::clone(&granted), config.contacts.clone());
        let out = Arc::new(Replies::reaching(Reach::public()));
        let lab = Harness::install_reaching(&LAB, Arc::clone(&state), out)
            .policy(Policy::new(Arc::new(grants), Arc::new(AllOn(Arc::clone(&remote)))))
            .build();
        let clock = Arc::new(lab.clock.clone());
        let histories = Histories::open(&home.path().join("history"), clock.clone()).unwrap();
        let mesh = Mesh::new(Parts {
            executor: lab.executor.clone(),
            legs: Box::new(move || legs.clone()),
            histories: Some(Arc::new(histories)),
            clock,
            config,
        });
        let socket = Socket::bind(&home.path().join("mesh.sock")).await.unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(mesh.serve(socket, async move {
            let _ = stopped.await;
        }));
        Self { home, lab, state, granted, remote, stop: Some(stop), served }
    }

    /// One that repeats what is said.
    async fn parroting(config: MeshConfig) -> (Self, Parrot) {
        let parrot = Parrot::default();
        (Self::of(config, vec![Arc::new(parrot.clone())]).await, parrot)
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("mesh.sock")
    }

    async fn link(&self) -> Link {
        Link::to(UnixStream::connect(self.path()).await.unwrap())
    }

    /// The names of the transcripts.
    fn transcripts(&self) -> BTreeSet<String> {
        let files = std::fs::read_dir(self.home.path().join("history")).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Outcomes and codes, in the order of their records.
    fn ends(&self) -> Vec<(String, Option<&'static str>)> {
        let end = |call: CallRecord| match call.mark {
            sovereign_core::audit::Mark::End(kind) => Some((kind.word().to_owned(), call.code)),
            _ => None,
        };
        self.lab.audit.calls().into_iter().filter_map(end).collect()
    }

    /// Shuts down and waits.
    async fn stop(mut self) -> Self {
        drop(self.stop.take());
        (&mut self.served).await.unwrap();
        self
    }
}

/// A link process.
struct Link {
    answers: Lines<BufReader<OwnedReadHalf>>,
    lines: OwnedWriteHalf,
}

impl Link {
    fn to(stream: UnixStream) -> Self {
        let (read, lines) = stream.into_split();
        Self { answers: BufReader::new(read).lines(), lines }
    }

    async fn bytes(&mut self, bytes: &[u8]) {
        self.lines.write_all(bytes).await.unwrap();
    }

    async fn says(&mut self, peer: &str, text: &str) {
        self.bytes(format!("{}\n", json!({"peer": peer, "text": text})).as_bytes()).await;
    }

    /// The next answer; none when the node has closed the link.
    async fn next(&mut self) -> Option<Value> {
        let line = self.answers.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    async fn answer(&mut self) -> Value {
        self.next().await.expect("an answer")
    }

    async fn ask(&mut self, peer: &str, text: &str) -> Value {
        self.says(peer, text).await;
        self.answer().await
    }
}

/// A refusal as it goes back.
fn refused(peer: &str, code: &str, text: &str) -> Value {
    json!({"peer": peer, "text": text, "code": code})
}

/// An answer to a turn in which nothing ran.
fn said(peer: &str, text: &str) -> Value {
    json!({"peer": peer, "text": format!("[nothing ran] {text}")})
}

fn private() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    home
}
