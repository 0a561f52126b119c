//! What stands in a data directory, and what a reset makes of it; `docs/src/data-inventory.md` says
//! more.

/// One name in the data directory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) name: &'static str,
    /// For a person.
    pub(crate) what: &'static str,
    pub(crate) fate: Fate,
}

/// What a reset makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It goes.
    Goes,
    /// It is as on the first day again.
    Fresh,
    /// It stays, unless everything shall go.
    Stays,
}

pub(crate) const INVENTORY: [Item; 9] = [
    Item {
        name: "history",
        what: "what is remembered of everybody's conversations",
        fate: Fate::Goes,
    },
    Item { name: "mesh.sock", what: "where peers on a radio link are heard", fate: Fate::Goes },
    // before the accounts: what a reset that was cut off leaves is never taken for a loss of them
    Item { name: "accounts.lock", what: "that `serve` has accounts", fate: Fate::Goes },
    Item {
        name: "secrets",
        what: "the keys of backends, and the accounts of `serve` with their passwords",
        fate: Fate::Goes,
    },
    Item { name: "grants.json", what: "who may use which category", fate: Fate::Fresh },
    Item {
        name: "policy.json",
        what: "what is switched on, and whether a turn may leave the device",
        fate: Fate::Fresh,
    },
    Item {
        name: "audit",
        what: "what was proposed and what became of it, without anybody's words",
        fate: Fate::Stays,
    },
    Item { name: "purse", what: "Cashu tokens: cash, which is lost with it", fate: Fate::Stays },
    Item { name: "config.toml", what: "your configuration", fate: Fate::Stays },
];
