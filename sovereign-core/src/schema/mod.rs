//! What a value may look like: one const tree per type, read by the renderer, the validator and the
//! decoder alike, so that the three cannot disagree.
//!
//! Owns [`RawArguments`] (bytes that are exactly one JSON object, before any schema is known), the
//! tree ([`Node`]), its JSON Schema text ([`render`]) and the one pass over frozen bytes that checks
//! and decodes ([`decode`]) or only checks ([`check`]). It knows no capability, no caller and no
//! wire format of a provider; it repairs, unwraps and coerces nothing.
mod arg;
mod constraint;
mod describe;
mod format;
mod json;
#[doc(hidden)]
pub mod judged;
mod node;
mod object;
mod pattern;
mod published;
mod raw;
mod reader;
mod redact;
mod render;
mod sound;
mod types;
mod union;
mod violation;

pub use arg::Arg;
pub use describe::Schema;
pub use format::Format;
pub use json::Json;
pub use node::Node;
pub use object::{Field, Object};
pub use pattern::{Pattern, Step};
pub use published::Published;
pub use raw::{Malformed, RawArguments};
pub use reader::{Fields, Inside, Reader, Slot, Stop, check, decode, decode_value};
pub use redact::{WITHHELD, redact};
pub use render::{NotStrict, Profile, Share, render, strict};
pub use sound::Unsound;
pub use union::{Body, Tagging, Union, Variant};
pub use violation::{MAX_VIOLATIONS, Received, Violation, code};

pub(crate) use node::Kind;
pub(crate) use reader::whole;
pub(crate) use sound::{sound, sound_result};
pub(crate) use types::spell;

#[cfg(test)]
mod fixtures;
