//! Who reads a schema, and which keywords they take.
use crate::schema::format::Format;

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
    /// Ask [`strict`](super::strict()) first.
    OpenAiStrict,
    /// Anthropic's strict tool use, which bounds no number, no text and no list. A field may be left
    /// out, as in [`Profile::Portable`]; how many may be in one request is limited, and so are unions:
    /// ask [`strict`](super::strict()) first.
    AnthropicStrict,
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
    pub const ALL: [Self; 7] = [
        Self::Full,
        Self::Portable,
        Self::OpenAiStrict,
        Self::AnthropicStrict,
        Self::Gemini,
        Self::Ollama,
        Self::Llama,
    ];

    pub(super) const fn is_full(self) -> bool {
        matches!(self, Self::Full)
    }

    /// Ollama has no references, no `null` and no closed objects.
    pub(super) const fn is_plain(self) -> bool {
        matches!(self, Self::Ollama)
    }

    /// Every field is required.
    pub(super) const fn requires_all(self) -> bool {
        matches!(self, Self::OpenAiStrict)
    }

    /// Nothing may stand beside a reference.
    pub(super) const fn refers_alone(self) -> bool {
        matches!(self, Self::OpenAiStrict | Self::AnthropicStrict)
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
            (Self::Llama, Rule::Items(count) | Rule::Fewest(count)) => *count > 0,
            (Self::AnthropicStrict, Rule::Format(format)) => format.name().is_some(),
            // one of two numbers, and never the most
            (Self::AnthropicStrict, Rule::Fewest(count)) => *count <= 1,
            (Self::AnthropicStrict, _) => false,
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
            | (_, Rule::Characters(_) | Rule::Items(_) | Rule::Fewest(_)) => true,
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
    /// The largest number of items.
    Items(u32),
    /// The smallest number of items.
    Fewest(u32),
    /// A number of entries of a map.
    Entries,
    Pattern,
    Format(Format),
    Unique,
    Default,
}
