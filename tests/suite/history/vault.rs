//! Capabilities of every category with an argument that nobody may find again, and awkward results.
use serde::Serialize;
use sovereign_core::prelude::*;
use sovereign_core::testing::Harness;
use std::sync::Arc;

/// What was told, and of what.
#[derive(Debug, Serialize, Schema)]
pub struct Told {
    /// It tells the argument again, as many do.
    pub of: String,
    /// Something that is no argument.
    pub balance: u32,
}

macro_rules! tells {
    ($name:ident, $wire:literal, $($category:tt)+) => {
        /// Tells what it was told.
        #[capability(
            name = $wire, side_effect = read_only, network = local, category = $($category)+,
            max_per_turn = 10,
        )]
        pub struct $name {
            /// The argument.
            text: String,
            /// A number beside it.
            number: Option<u64>,
        }
        impl Run for $name {
            type State = ();
            type Output = Told;
            async fn run(self, _: Call<'_, Self>) -> Result<Told, Failure> {
                let number = self.number.map(|n| n.to_string()).unwrap_or_default();
                Ok(Told { of: format!("{} {number}", self.text), balance: 21 })
            }
        }
    };
}

tells!(Apps, "vault.apps", apps);
tells!(System, "vault.system", system);
tells!(Network, "vault.network", network);
tells!(Wallet, "vault.wallet", wallet);
tells!(Files, "vault.files", files);
tells!(Media, "vault.media", media);
tells!(Search, "vault.search", search);
tells!(AiLocal, "vault.ai_local", ai_local);
tells!(Notes, "vault.notes", notes);
tells!(Bitcoin, "vault.bitcoin", bitcoin);
tells!(Home, "vault.home", custom("home"));

/// Logs in somewhere.
#[capability(name = "vault.login", side_effect = read_only, network = local, category = notes)]
pub struct Login {
    /// Who.
    user: String,
    /// The secret.
    #[arg(sensitive)]
    password: String,
}

impl Run for Login {
    type State = ();
    type Output = Told;
    async fn run(self, _: Call<'_, Self>) -> Result<Told, Failure> {
        Ok(Told { of: format!("{} {}", self.user, self.password), balance: 21 })
    }
}

/// Gives a long text.
#[capability(name = "vault.long", side_effect = read_only, network = local, category = system, max_per_turn = 12)]
pub struct Long {
    /// How many characters.
    #[arg(range(max = 20000))]
    chars: u32,
}

impl Run for Long {
    type State = ();
    type Output = String;
    async fn run(self, _: Call<'_, Self>) -> Result<String, Failure> {
        Ok("内".repeat(self.chars as usize))
    }
}

/// Changes something, and takes its time.
#[capability(name = "vault.change", side_effect = mutating, network = local, category = notes, max_per_turn = 5)]
pub struct Change {}

impl Run for Change {
    type State = ();
    type Output = Changed<u32>;
    async fn run(self, _: Call<'_, Self>) -> Result<Changed<u32>, Failure> {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        Ok(Changed::yes(1))
    }
}

/// Reads something, and takes its time.
#[capability(name = "vault.read", side_effect = read_only, network = local, category = system, max_per_turn = 5)]
pub struct Read {}

impl Run for Read {
    type State = ();
    type Output = u32;
    async fn run(self, _: Call<'_, Self>) -> Result<u32, Failure> {
        tokio::task::yield_now().await;
        Ok(1)
    }
}

pub static VAULT: Plugin<()> = Plugin::new(
    "vault",
    &[
        Apps::ENTRY,
        System::ENTRY,
        Network::ENTRY,
        Wallet::ENTRY,
        Files::ENTRY,
        Media::ENTRY,
        Search::ENTRY,
        AiLocal::ENTRY,
        Notes::ENTRY,
        Bitcoin::ENTRY,
        Home::ENTRY,
        Login::ENTRY,
        Long::ENTRY,
        Change::ENTRY,
        Read::ENTRY,
    ],
);

/// Everything granted and on.
pub fn vault() -> Harness {
    Harness::install(&VAULT, Arc::default()).build()
}
