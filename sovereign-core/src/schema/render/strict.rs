//! What a provider's strict mode can describe at all.
use super::definitions::Definitions;
use super::{Profile, render};
use crate::schema::node::{Kind, Node};
use crate::schema::object::Field;
use crate::schema::union::Body;
use serde_json::Value;

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
    /// It holds itself.
    #[error("strict tool use of Anthropic cannot describe a type that holds itself")]
    Recursive,
}

/// How much of what a provider allows in all strict tools of one request a schema takes: of Anthropic's,
/// 24 fields that may be left out and 16 unions, in at most 20 strict tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Share {
    /// Fields that are not required.
    pub optional: usize,
    /// Places where one of several types may stand, `null` beside another included.
    pub unions: usize,
}

/// Whether the strict mode of `profile` can describe `node`, and what it takes of the limits. Every object
/// in it has to be closed.
///
/// ```
/// use sovereign_core::Arg;
/// use sovereign_core::schema::{Profile, Schema, strict};
///
/// /// Looks at the sky.
/// #[derive(Arg)]
/// struct Look {
///     /// In degrees.
///     height: u8,
///     /// Where to look, if not everywhere.
///     place: Option<String>,
/// }
/// let share = strict(&Look::NODE, Profile::AnthropicStrict)?;
/// assert_eq!((share.optional, share.unions), (1, 1));
/// # Ok::<(), sovereign_core::schema::NotStrict>(())
/// ```
///
/// # Errors
/// What stands in the way first.
pub fn strict(node: &Node, profile: Profile) -> Result<Share, NotStrict> {
    closed(node, &mut Vec::new())?;
    let recursive = !Definitions::of(node).0.is_empty();
    if recursive && profile == Profile::AnthropicStrict {
        return Err(NotStrict::Recursive);
    }
    let text = render(node, profile);
    let mut share = Share::default();
    share.count(&serde_json::from_str(&text).unwrap_or_default());
    Ok(share)
}

impl Share {
    fn count(&mut self, schema: &Value) {
        let of = |keyword: &str| schema.get(keyword).and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.map_or(&[][..], Vec::as_slice);
        for name in of("properties").into_iter().flat_map(|fields| fields.keys()) {
            let must = required.iter().any(|known| known == name);
            self.optional = self.optional.saturating_add(usize::from(!must));
        }
        let branches = schema.get("anyOf").and_then(Value::as_array);
        let union = branches.is_some() || schema.get("type").is_some_and(Value::is_array);
        self.unions = self.unions.saturating_add(usize::from(union));
        let named = of("properties").into_iter().chain(of("$defs")).flat_map(|all| all.values());
        let inside = named.chain(branches.into_iter().flatten()).chain(schema.get("items"));
        inside.for_each(|schema| self.count(schema));
    }
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

#[cfg(test)]
#[path = "strict_tests.rs"]
mod tests;
