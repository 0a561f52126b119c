//! Closed objects and their fields.
use super::node::Node;
use std::borrow::Cow;

/// A closed object: a key that is not in `fields` is a violation.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// The type's name; names the definition of a recursive type and nothing else.
    pub name: &'static str,
    /// One line for the model, or empty.
    pub description: &'static str,
    /// In declaration order, which is the order of the published schema.
    pub fields: &'static [Field],
}

/// One named member of an [`Object`].
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The key on the wire.
    pub name: &'static str,
    /// One line for the model, or empty.
    pub description: &'static str,
    /// What the value may be.
    pub node: Node,
    /// Whether the key must be there. What is not required may be absent or `null`.
    pub required: bool,
    /// What stands for the field when it is left out, as JSON text, when that can be told. It is
    /// only published: the decoder fills it in.
    pub default: Option<&'static str>,
    /// A default that is no literal: gives its JSON text.
    pub computed: Option<fn() -> Option<String>>,
    /// Whether the value is a secret: it is shown to the person who decides, and to nobody else. No
    /// violation, log or history holds anything of it.
    pub sensitive: bool,
}

impl Field {
    /// A field that must be there, without a default.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str, node: Node) -> Self {
        Self {
            name,
            description,
            node,
            required: true,
            default: None,
            computed: None,
            sensitive: false,
        }
    }

    /// The same, required or not.
    #[must_use]
    pub const fn required(mut self, required: bool) -> Self {
        self.required = required;
        self
    }

    /// The same with a default, which makes it optional; `None` when its text is not known.
    ///
    /// **Shape** JSON text, such as `"10"` or `"\"day\""`.
    #[must_use]
    pub const fn default(mut self, default: Option<&'static str>) -> Self {
        self.required = false;
        self.default = default;
        self
    }

    /// The same with a default that is no literal, which makes it optional.
    #[must_use]
    pub const fn computed(mut self, text: fn() -> Option<String>) -> Self {
        self.required = false;
        self.computed = Some(text);
        self
    }

    /// What stands for the field when it is left out, as JSON text.
    pub(crate) fn default_text(&self) -> Option<Cow<'static, str>> {
        let written = self.default.map(Cow::Borrowed);
        written.or_else(|| self.computed.and_then(|text| text()).map(Cow::Owned))
    }

    /// The same, secret.
    #[must_use]
    pub const fn sensitive(mut self) -> Self {
        self.sensitive = true;
        self
    }
}
