//! Who reads a schema, and which keywords they take.
use crate::schema::format::Format;
use crate::schema::node::{Kind, Node};
use crate::schema::object::Field;
use crate::schema::union::Body;

/// Who a schema is written for.
///
/// Everything is enforced whatever is published: a profile leaves keywords out and says in the
/// description what they said, so that it accepts whatever [`Profile::Full`] accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// Everything that is enforced, for validators and for people.
    Full,
    /// What all providers take: `OpenAI` without strict mode, Anthropic, and servers that nothing else
    /// is known about. Without bounds beyond 2^53 - 1, which readers that hold numbers as floats
    /// cannot represent.
    Portable,
    /// `OpenAI`'s strict mode: every field is required, and one that may be left out may be `null`.
    /// Ask [`strict`] first.
    OpenAiStrict,
    /// Gemini's `parametersJsonSchema`.
    Gemini,
    /// Ollama, which keeps types, properties, items, enums and descriptions and drops the rest
    /// before a model sees it. References are written out.
    Ollama,
    /// The grammar converter of llama.cpp.
    Llama,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 6] =
        [Self::Full, Self::Portable, Self::OpenAiStrict, Self::Gemini, Self::Ollama, Self::Llama];

    pub(super) const fn is_full(self) -> bool {
        matches!(self, Self::Full)
    }

    /// Ollama has no references, no `null` and no closed objects.
    pub(super) const fn is_plain(self) -> bool {
        matches!(self, Self::Ollama)
    }

    pub(super) const fn is_strict(self) -> bool {
        matches!(self, Self::OpenAiStrict)
    }

    /// `nested`: below a field of the root.
    pub(super) fn keeps(self, rule: &Rule, nested: bool) -> bool {
        match (self, rule) {
            (Self::Full, _) => true,
            (Self::Ollama, _)
            | (_, Rule::Unique | Rule::Entries | Rule::Default)
            // not among the documented ones
            | (Self::OpenAiStrict, Rule::Characters(_)) => false,
            (Self::Gemini, Rule::Step | Rule::Characters(_) | Rule::Pattern)
            | (Self::Llama, Rule::Step | Rule::Float) => false,
            (Self::Llama, Rule::Pattern) => !nested,
            // a grammar of that many repetitions is refused, and one of none is wrong
            (Self::Llama, Rule::Characters(count)) => !nested || *count < 2000,
            (Self::Llama, Rule::Items(count)) => *count > 0,
            (Self::Gemini, Rule::Format(format)) => {
                matches!(format, Format::Date | Format::DateTime | Format::Timestamp)
            }
            (Self::Llama, Rule::Format(format)) => matches!(
                format,
                Format::Date | Format::DateTime | Format::Timestamp | Format::Uuid
            ),
            (Self::Portable | Self::OpenAiStrict, Rule::Format(format)) => {
                !matches!(format.name(), None | Some("uri"))
            }
            (_, Rule::Integer | Rule::Float | Rule::Step | Rule::Pattern)
            | (_, Rule::Characters(_) | Rule::Items(_)) => true,
        }
    }
}

/// What a keyword is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    /// A bound of an integer.
    Integer,
    /// A bound of a float.
    Float,
    Step,
    /// A number of code points.
    Characters(u32),
    /// A number of items.
    Items(u32),
    /// A number of entries of a map.
    Entries,
    Pattern,
    Format(Format),
    Unique,
    Default,
}

/// Why a schema cannot be used in a provider's strict mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotStrict {
    /// It holds [`Json`](crate::schema::Json).
    #[error("strict mode cannot describe a free JSON value")]
    FreeValue,
    /// It holds a map.
    #[error("strict mode cannot describe an object with free keys")]
    FreeKeys,
}

/// Whether strict modes can describe `node`: every object in it is closed.
///
/// # Errors
/// What stands in the way first.
pub fn strict(node: &Node) -> Result<(), NotStrict> {
    closed(node, &mut Vec::new())
}

fn closed(node: &Node, seen: &mut Vec<*const ()>) -> Result<(), NotStrict> {
    match node.kind {
        Kind::Any => Err(NotStrict::FreeValue),
        Kind::Map { .. } => Err(NotStrict::FreeKeys),
        Kind::Array { items, .. } => closed(items(), seen),
        Kind::Tuple(items) => items().iter().try_for_each(|node| closed(node, seen)),
        Kind::Object(object) => {
            let object = object();
            if !is_new(object, seen) {
                return Ok(());
            }
            object.fields.iter().try_for_each(|field| closed(&field.node, seen))
        }
        Kind::Union(union) => {
            let union = union();
            if !is_new(union, seen) {
                return Ok(());
            }
            let field = |field: &Field, seen: &mut _| closed(&field.node, seen);
            union.variants.iter().try_for_each(|variant| match variant.body {
                Body::Unit => Ok(()),
                Body::Newtype(node) => closed(&node, seen),
                Body::Struct(fields) => fields.iter().try_for_each(|f| field(f, seen)),
            })
        }
        _ => Ok(()),
    }
}

/// A type may have several addresses, but only finitely many.
fn is_new<T>(of: &'static T, seen: &mut Vec<*const ()>) -> bool {
    let address = std::ptr::from_ref(of).cast();
    let new = !seen.contains(&address);
    if new {
        seen.push(address);
    }
    new
}
