//! The smallest whole program: one capability, one conversation, one person who decides.
use sovereign_core::testing::{MemoryAudit, Scripted};
use sovereign_core::{host::*, prelude::*};
use std::{error::Error, hash::*, io, sync::Arc};

/// Rolls one die and says what it shows.
#[capability(name = "game.roll", side_effect = read_only, network = local, category = custom("game"))]
struct Roll {
    /// How many sides the die has.
    #[arg(range(min = 2, max = 100))]
    sides: u8,
}

impl Run for Roll {
    type State = ();
    type Output = u64;
    async fn run(self, _: Call<'_, Self>) -> Result<u64, Failure> {
        Ok(1 + RandomState::new().hash_one(()) % u64::from(self.sides))
    }
}

static GAME: Plugin<()> = Plugin::new("game", &[Roll::ENTRY]);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::builder().install(&GAME, Arc::default()).build()?;
    let policy = Policy::granting(|_| [Category::Custom("game")].into());
    let executor = Executor::builder(registry, policy, Arc::new(MemoryAudit::default())).build()?;
    let model = Scripted::new().proposes("game__roll__v1", r#"{"sides": 6}"#).says("It is cast.");
    let chat = Conversation::new(&executor, Arc::new(model), CallerScope::operator("me", "tty"));
    let turn = chat.say("roll a die")?.run(|request| {
        println!("{}Run it? [yes/no]", request.disclosure());
        let yes = matches!(io::stdin().lines().next(), Some(Ok(line)) if line == "yes");
        if yes { Decision::Approve } else { Decision::Deny }
    });
    let report = turn.await;
    println!("{}", report.text);
    report.receipts.iter().for_each(|receipt| println!("{receipt}"));
    Ok(())
}
