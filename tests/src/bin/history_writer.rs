//! Holds a conversation that is remembered until it is killed: what `suite/killed.rs` kills.
//!
//! `history_writer DIR EFFECTS`: each turn says `word N`, has the model ask for a change, approves it
//! and is answered; the change is a line `N` in EFFECTS, and a turn that is reported as saved is the
//! line `saved N`. At each event of a turn it writes one byte and goes on when it may read one.
use sovereign_core::clock::SystemClock;
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Conversation, Event};
use sovereign_core::executor::Executor;
use sovereign_core::history::Histories;
use sovereign_core::host::{CallerScope, Category, Policy, Registry};
use sovereign_core::prelude::*;
use sovereign_core::testing::{MemoryAudit, Scripted};
use std::error::Error;
use std::fs::File;
use std::io::{Read, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

type Failed = Box<dyn Error + Send + Sync>;

/// Changes something.
#[capability(name = "kept.change", side_effect = mutating, network = local, category = notes)]
struct Change {
    /// Which change.
    #[arg(range(max = 1000000))]
    number: u64,
}

impl Run for Change {
    type State = File;
    type Output = Changed<u64>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<u64>, Failure> {
        let mut effects = call.state();
        effects.write_all(format!("{}\n", self.number).as_bytes()).or_fail("not_written")?;
        Ok(Changed::yes(self.number))
    }
}

static KEPT: Plugin<File> = Plugin::new("kept", &[Change::ENTRY]);

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, effects] = &arguments[..] else { return Err("two paths, please".into()) };
    let effects = Arc::new(File::options().append(true).create(true).open(effects)?);
    let registry = Registry::builder().install(&KEPT, Arc::clone(&effects)).build()?;
    let policy = Policy::granting(|_| [Category::Notes].into()).enabled("kept.change");
    let executor = Executor::builder(registry, policy, Arc::new(MemoryAudit::default())).build()?;
    let histories = Histories::open(Path::new(dir), Arc::new(SystemClock::default()))?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    runtime.block_on(async {
        let me = CallerScope::operator("me", "session");
        let loaded = histories.load(&me)?;
        for notice in &loaded.notices {
            eprintln!("{notice}");
        }
        let first = loaded.history.recent(1).first().map_or(1, |turn| turn.number + 1);
        for n in first.. {
            let arguments = format!(r#"{{"number":{n}}}"#);
            let model =
                Scripted::new().proposes("kept__change__v1", &arguments).says(&format!("done {n}"));
            let builder = Conversation::builder(&executor, me.clone()).leg(Arc::new(model));
            let (builder, _) = builder.remembered_in(&histories)?;
            turn(&builder.open(), n, &effects).await?;
        }
        Ok(())
    })
}

async fn turn(chat: &Conversation, n: u64, effects: &File) -> Result<(), Failed> {
    let mut turn = chat.say(format!("word {n}"))?;
    while let Some(event) = turn.next().await {
        match event {
            Event::ConfirmationRequested(request) => {
                point()?;
                request.decide(Decision::Approve)?;
            }
            Event::Finished(report) => {
                if report.unsaved.is_none() {
                    let mut effects = effects;
                    effects.write_all(format!("saved {n}\n").as_bytes())?;
                }
                point()?;
            }
            _ => point()?,
        }
    }
    Ok(())
}

/// Where it can be stopped.
fn point() -> Result<(), Failed> {
    let mut out = stdout().lock();
    out.write_all(b".")?;
    out.flush()?;
    let mut leave = [0];
    stdin().lock().read_exact(&mut leave)?;
    Ok(())
}
