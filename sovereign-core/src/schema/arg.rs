//! `Arg` adds to [`Schema`] how a value is read.
use super::describe::Schema;
use super::node::Node;
use super::reader::{Reader, Stop};

/// A type that can be (part of) a capability's arguments.
///
/// Derive it; by hand only for a newtype that passes the reader on. The node is handed in, because
/// a field's constraints narrow it below the type's own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in capability arguments",
    label = "no decoder is known for this type",
    note = "derive `Arg` on your own types; known std types: bool, integers up to 64 bits, NonZero integers, f32, f64, String, char, Option, Vec, arrays, tuples of 2 to 4, Box, BTreeSet and HashSet, BTreeMap and HashMap with String keys, IpAddr and its family, ()"
)]
pub trait Arg: Schema + Sized {
    /// Reads the value at the cursor and checks it against `node`.
    ///
    /// # Errors
    /// [`Stop::Invalid`] when the value does not fit (it is consumed, and what is wrong is recorded
    /// in the reader); [`Stop::Syntax`] when the bytes cannot be read any further.
    fn decode(reader: &mut Reader<'_>, node: &Node) -> Result<Self, Stop>;

    /// What stands for a field that was left out; `None` when it must be there.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// The JSON text of this value, as which a default that is no literal is published and shown to
    /// the person who decides; `None` when the type cannot be written, and so has no such default.
    #[must_use]
    fn spelled(&self) -> Option<String> {
        None
    }
}
