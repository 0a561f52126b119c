//! Values that have one of several shapes, told apart by a tag.
use super::node::Node;
use super::object::Field;

/// An enum whose variants hold something.
#[derive(Clone, Copy, Debug)]
pub struct Union {
    /// The type's name; names the definition of a recursive type and nothing else.
    pub name: &'static str,
    /// One line for the model, or empty.
    pub description: &'static str,
    /// Where the variant's name stands.
    pub tagging: Tagging,
    /// In declaration order, which is the order of the published schema.
    pub variants: &'static [Variant],
}

/// Where a variant's name stands in JSON; serde's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has no other place for a tag")]
pub enum Tagging {
    /// `"name"`, or `{"name": body}`.
    External,
    /// `{"tag": "name", …the body's fields}`.
    Internal {
        /// The tag's key.
        tag: &'static str,
    },
    /// `{"tag": "name", "content": body}`.
    Adjacent {
        /// The tag's key.
        tag: &'static str,
        /// The body's key.
        content: &'static str,
    },
}

/// One shape of a [`Union`].
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Its name on the wire.
    pub name: &'static str,
    /// One line for the model, or empty.
    pub description: &'static str,
    /// What it holds.
    pub body: Body,
}

/// What a variant holds.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "tuple variants of more are refused by the derive")]
pub enum Body {
    /// Nothing.
    Unit,
    /// One value. Beside an internal tag it must be an object ([`Node::beside_tag`]).
    Newtype(Node),
    /// Named fields.
    Struct(&'static [Field]),
}

impl Variant {
    pub(crate) const fn is_unit(&self) -> bool {
        matches!(self.body, Body::Unit)
    }
}
