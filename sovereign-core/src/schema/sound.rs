//! What const evaluation cannot see of a schema, looked at when the registry is built.
use super::node::{Kind, Node};
use super::object::Field;
use super::reader::check;
use super::union::{Body, Tagging, Union};
use super::violation::Violation;

/// Levels of objects and lists inside one another, and bytes of the text, that all readers take.
pub(crate) const MAX_LEVELS: usize = 10;
pub(crate) const MAX_TEXT: usize = 16 << 10;

/// Why a schema cannot be offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsound {
    /// Objects and lists inside one another.
    #[error("the arguments have more than {limit} levels of objects and lists: flatten them")]
    TooDeep {
        /// What providers take.
        limit: usize,
    },
    /// The JSON Schema text.
    #[error(
        "the schema of the arguments is {bytes} bytes long and the limit is {limit}: split the capability, or say less in descriptions"
    )]
    TooLong {
        /// Of the longest text.
        bytes: usize,
        /// What leaves room for a conversation.
        limit: usize,
    },
    /// The field would not take its own default.
    #[error("the default of `{at}` is not a value that the field takes: expected {}", .violation.expected)]
    Default {
        /// The field's path.
        at: String,
        /// What is wrong with it.
        violation: Violation,
    },
    /// Nobody could be shown the default.
    #[error(
        "the default of `{at}` cannot be written as JSON, so nobody could be shown it: write it as a literal, or derive `Arg` on its type"
    )]
    HiddenDefault {
        /// The field's path.
        at: String,
    },
    /// A key would stand for two things.
    #[error("`{name}` holds a struct with a field `{tag}`, which is its tag: rename one of them")]
    Tag {
        /// The enum's.
        name: &'static str,
        /// The key.
        tag: &'static str,
    },
}

/// Whether arguments of this shape can be offered.
///
/// # Errors
/// What is wrong first: with the depth, then with a tag or a default.
pub(crate) fn sound(node: &Node) -> Result<(), Unsound> {
    Walk { limit: MAX_LEVELS, path: Vec::new(), open: Vec::new() }.node(node, 0)
}

/// Whether a result of this shape can be read.
///
/// # Errors
/// The first tag that is a field as well.
pub(crate) fn sound_result(node: &Node) -> Result<(), Unsound> {
    Walk { limit: usize::MAX, path: Vec::new(), open: Vec::new() }.node(node, 0)
}

struct Walk {
    /// Of levels.
    limit: usize,
    path: Vec<&'static str>,
    /// The types around the one that is looked at: a recursive one is looked into once.
    open: Vec<*const ()>,
}

impl Walk {
    fn node(&mut self, node: &Node, above: usize) -> Result<(), Unsound> {
        let level = above.saturating_add(1);
        match node.kind {
            Kind::Array { items, .. } => self.within(level, |walk| walk.node(items(), level)),
            Kind::Map { values, .. } => self.within(level, |walk| walk.node(values(), level)),
            Kind::Tuple(items) => self
                .within(level, |walk| items().iter().try_for_each(|node| walk.node(node, level))),
            Kind::Object(object) => {
                let object = object();
                self.enter(level, std::ptr::from_ref(object).cast(), |walk| {
                    walk.fields(object.fields, level)
                })
            }
            Kind::Union(union) => {
                let union = union();
                self.enter(level, std::ptr::from_ref(union).cast(), |walk| {
                    tag(union)?;
                    union.variants.iter().try_for_each(|variant| match variant.body {
                        Body::Unit => Ok(()),
                        Body::Newtype(node) => walk.node(&node, level),
                        Body::Struct(fields) => walk.fields(fields, level),
                    })
                })
            }
            _ => Ok(()),
        }
    }

    fn within(
        &mut self,
        level: usize,
        look: impl FnOnce(&mut Self) -> Result<(), Unsound>,
    ) -> Result<(), Unsound> {
        if level > self.limit {
            return Err(Unsound::TooDeep { limit: self.limit });
        }
        look(self)
    }

    fn enter(
        &mut self,
        level: usize,
        address: *const (),
        look: impl FnOnce(&mut Self) -> Result<(), Unsound>,
    ) -> Result<(), Unsound> {
        if self.open.contains(&address) {
            return Ok(());
        }
        self.open.push(address);
        let looked = self.within(level, look);
        self.open.pop();
        looked
    }

    fn fields(&mut self, fields: &'static [Field], level: usize) -> Result<(), Unsound> {
        for field in fields {
            self.path.push(field.name);
            self.default(field)?;
            self.node(&field.node, level)?;
            self.path.pop();
        }
        Ok(())
    }

    fn default(&self, field: &Field) -> Result<(), Unsound> {
        let at = || self.path.join(".");
        let Some(text) = field.default_text() else {
            let hidden = field.computed.is_some();
            return if hidden { Err(Unsound::HiddenDefault { at: at() }) } else { Ok(()) };
        };
        let judged = check(text.as_bytes(), &field.node);
        let violation = judged.err().and_then(|violations| violations.into_iter().next());
        match violation {
            Some(violation) => Err(Unsound::Default { at: at(), violation }),
            None => Ok(()),
        }
    }
}

/// The fields beside an internal tag have other names. The macro sees those of a variant, not those of
/// a struct that it holds.
fn tag(union: &'static Union) -> Result<(), Unsound> {
    let Tagging::Internal { tag } = union.tagging else { return Ok(()) };
    let mut fields = union.variants.iter().flat_map(|variant| match variant.body {
        Body::Unit => &[],
        Body::Newtype(node) => node.fields(),
        Body::Struct(fields) => fields,
    });
    match fields.find(|field| field.name == tag) {
        Some(_) => Err(Unsound::Tag { name: union.name, tag }),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "sound_tests.rs"]
mod tests;
