//! `Schema` says what a value looks like. Results need only this; arguments also need [`super::Arg`].
use super::node::Node;

/// A type whose JSON form is known at compile time.
///
/// Derive it on structs with named fields and on plain enums. A type that is optional may be absent
/// or `null`, in the published schema, the validator and the decoder alike. That leaves no form for
/// an option inside an option:
///
/// ```compile_fail
/// use sovereign_core::schema::{Node, Schema};
/// const TWICE: Node = <Option<Option<u8>>>::NODE;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema, so a model cannot be told what it looks like",
    label = "no schema is known for this type",
    note = "derive `Arg` (arguments) or `Schema` (results) on your own types; known std types: bool, integers up to 64 bits, NonZero integers, f32, f64, String, char, Option, Vec, arrays, tuples of 2 to 4, Box, BTreeSet and HashSet, BTreeMap and HashMap with String keys, IpAddr and its family, ()"
)]
pub trait Schema {
    /// The shape of a value.
    const NODE: Node;
    /// Whether a field of this type may be left out.
    const OPTIONAL: bool = false;
    /// The shape of an item, for a list or a map: what `#[arg(inner(…))]` narrows.
    const ITEMS: Option<Node> = None;
}
