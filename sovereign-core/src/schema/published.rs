//! A schema as it is sent, written once.
use super::node::Node;
use super::render::{Profile, render};
use super::sound::{MAX_TEXT, Unsound};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;

/// The schema of one capability's arguments for every reader, rendered when the registry is built.
///
/// Serialises as [`Profile::Portable`], in declaration order. A copy shares the texts.
#[derive(Clone)]
pub struct Published(Arc<Texts>);

struct Texts {
    node: Node,
    rendered: Vec<(Profile, Box<RawValue>)>,
    portable: Box<RawValue>,
    value: Value,
}

impl Published {
    /// Renders `node` for every profile.
    pub(crate) fn of(node: &Node) -> Self {
        let text = |profile| {
            // INVARIANT: the renderer writes JSON; `null` would be caught by every test that reads it
            RawValue::from_string(render(node, profile))
                .unwrap_or_else(|_| RawValue::NULL.to_owned())
        };
        let portable = text(Profile::Portable);
        Self(Arc::new(Texts {
            node: *node,
            rendered: Profile::ALL.map(|profile| (profile, text(profile))).into(),
            value: serde_json::from_str(portable.get()).unwrap_or_default(),
            portable,
        }))
    }

    /// The text for one reader, to be copied into a request as it is.
    #[must_use]
    pub fn text(&self, profile: Profile) -> &RawValue {
        let rendered = self.0.rendered.iter().find(|(known, _)| *known == profile);
        rendered.map_or(&self.0.portable, |(_, text)| text)
    }

    /// [`Profile::Portable`], to be looked into.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// Whether every text leaves room for a conversation.
    pub(crate) fn fits(&self) -> Result<(), Unsound> {
        let longest = self.0.rendered.iter().map(|(_, text)| text.get().len()).max();
        match longest {
            Some(bytes) if bytes > MAX_TEXT => Err(Unsound::TooLong { bytes, limit: MAX_TEXT }),
            _ => Ok(()),
        }
    }

    /// The tree that the texts are of.
    #[must_use]
    pub fn node(&self) -> &Node {
        &self.0.node
    }
}

impl Serialize for Published {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.portable.serialize(serializer)
    }
}

impl fmt::Debug for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.portable.get())
    }
}
