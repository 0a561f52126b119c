//! Fixtures shared by the suites: a plugin whose capabilities cover every class and every way to end.
pub mod described;
pub mod double;
mod lab;
pub mod served;

pub use lab::{
    Big, Change, Echo, EchoTwo, Fails, FailsBefore, FailsChanging, Forbidden, Hostile, LAB, Lab,
    Odd, OddChange, Panics, PanicsChanging, Read, Send, Slow, SlowChange, Word,
};

use sovereign_core::capability::Reach;
use sovereign_core::testing::{Harness, HarnessBuilder, Replies};
use std::sync::Arc;

/// The fixture plugin in a harness: everything granted and on.
pub fn lab() -> (Harness, Arc<Lab>) {
    let (builder, lab) = lab_builder();
    (builder.build(), lab)
}

/// The same before it is closed.
pub fn lab_builder() -> (HarnessBuilder, Arc<Lab>) {
    let lab = Arc::new(Lab::default());
    let out = Arc::new(Replies::reaching(Reach::public()));
    (Harness::install_reaching(&LAB, Arc::clone(&lab), out), lab)
}
