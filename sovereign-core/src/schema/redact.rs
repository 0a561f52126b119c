//! Arguments without their secrets, for logs and histories.
use super::node::{Kind, Node};
use super::object::{Field, Object};
use super::raw::RawArguments;
use super::reader::{Reader, Stop};
use super::union::{Body, Union};
use serde_json::Value;

/// What stands for a value that is withheld.
pub const WITHHELD: &str = "[withheld]";

impl Node {
    /// Whether a sensitive field is anywhere in it.
    #[must_use]
    pub fn holds_sensitive(&self) -> bool {
        Open::default().node(self)
    }
}

/// The types that were looked into; a recursive one is looked into once.
#[derive(Default)]
struct Open(Vec<*const ()>);

impl Open {
    fn node(&mut self, node: &Node) -> bool {
        match node.kind {
            Kind::Array { items, .. } => self.node(items()),
            Kind::Map { values, .. } => self.node(values()),
            Kind::Tuple(items) => items().iter().any(|node| self.node(node)),
            Kind::Object(object) => {
                let object: &'static Object = object();
                self.enter(std::ptr::from_ref(object).cast()) && self.fields(object.fields)
            }
            Kind::Union(union) => {
                let union: &'static Union = union();
                self.enter(std::ptr::from_ref(union).cast())
                    && union.variants.iter().any(|variant| match variant.body {
                        Body::Unit => false,
                        Body::Newtype(node) => self.node(&node),
                        Body::Struct(fields) => self.fields(fields),
                    })
            }
            _ => false,
        }
    }

    fn fields(&mut self, fields: &'static [Field]) -> bool {
        fields.iter().any(|field| field.sensitive || self.node(&field.node))
    }

    /// Whether it is looked at for the first time.
    fn enter(&mut self, address: *const ()) -> bool {
        let new = !self.0.contains(&address);
        self.0.push(address);
        new
    }
}

/// The arguments with [`WITHHELD`] in the place of every sensitive value, as JSON text.
///
/// What the schema does not describe is withheld too, because an unknown key may be a misspelt one:
/// where a value does not fit the schema, nothing of it is shown that could be a secret.
///
/// ```
/// use sovereign_core::schema::{Field, Node, Object, RawArguments, redact};
///
/// const LOGIN: Node = Node::object(|| const {
///     &Object {
///         name: "Login",
///         description: "",
///         fields: &[
///             Field::new("user", "", Node::TEXT),
///             Field::new("password", "", Node::TEXT).sensitive(),
///         ],
///     }
/// });
/// let raw = RawArguments::parse(br#"{"user": "ada", "password": "secret", "pasword": "secret"}"#)?;
/// assert_eq!(
///     redact(&raw, &LOGIN),
///     r#"{"user":"ada","password":"[withheld]","[withheld]":"[withheld]"}"#
/// );
/// # Ok::<(), sovereign_core::schema::Malformed>(())
/// ```
#[must_use]
pub fn redact(raw: &RawArguments, node: &Node) -> String {
    let mut reader = Reader::new(raw.as_str());
    let mut out = String::with_capacity(raw.as_str().len());
    match reader.redact(node, &mut out) {
        Ok(()) => out,
        // frozen arguments are always readable
        Err(_) => Value::from(WITHHELD).to_string(),
    }
}

impl Reader<'_> {
    fn redact(&mut self, node: &Node, out: &mut String) -> Result<(), Stop> {
        if !node.holds_sensitive() && !matches!(node.kind, Kind::Object(_)) {
            out.push_str(self.raw()?);
            return Ok(());
        }
        match (self.peek(), node.kind) {
            (Some(b'n'), _) => out.push_str(self.raw()?),
            (Some(b'['), Kind::Array { items, .. }) => self.redact_items(|_| Some(items()), out)?,
            (Some(b'['), Kind::Tuple(items)) => self.redact_items(|at| items().get(at), out)?,
            (Some(b'{'), Kind::Map { values, .. }) => {
                self.redact_members(|_| Some(Known { node: values(), sensitive: false }), out)?;
            }
            (Some(b'{'), Kind::Object(object)) => self.redact_members(
                |key| {
                    let field = object().fields.iter().find(|field| field.name == key)?;
                    Some(Known { node: &field.node, sensitive: field.sensitive })
                },
                out,
            )?,
            // a secret in any variant withholds the whole; so does a value of another shape
            _ => {
                self.raw()?;
                withheld(out);
            }
        }
        Ok(())
    }

    fn redact_items(
        &mut self,
        node: impl Fn(usize) -> Option<&'static Node>,
        out: &mut String,
    ) -> Result<(), Stop> {
        self.enter()?;
        out.push('[');
        let mut count = 0usize;
        if self.peek() != Some(b']') {
            loop {
                out.push_str(if count > 0 { "," } else { "" });
                match node(count) {
                    Some(node) => self.redact(node, out)?,
                    None => {
                        self.raw()?;
                        withheld(out);
                    }
                }
                count = count.saturating_add(1);
                if !self.another(b']')? {
                    break;
                }
            }
        }
        out.push(']');
        self.leave();
        Ok(())
    }

    fn redact_members(
        &mut self,
        find: impl Fn(&str) -> Option<Known>,
        out: &mut String,
    ) -> Result<(), Stop> {
        self.enter()?;
        out.push('{');
        if self.peek() != Some(b'}') {
            loop {
                let key = self.key()?;
                match find(&key) {
                    Some(Known { node, sensitive: false }) => {
                        out.push_str(&Value::from(key.as_ref()).to_string());
                        out.push(':');
                        self.redact(node, out)?;
                    }
                    Some(_) => {
                        self.raw()?;
                        out.push_str(&Value::from(key.as_ref()).to_string());
                        out.push(':');
                        withheld(out);
                    }
                    None => {
                        self.raw()?;
                        withheld(out);
                        out.push(':');
                        withheld(out);
                    }
                }
                if !self.another(b'}')? {
                    break;
                }
                out.push(',');
            }
        }
        out.push('}');
        self.leave();
        Ok(())
    }
}

struct Known {
    node: &'static Node,
    sensitive: bool,
}

fn withheld(out: &mut String) {
    out.push('"');
    out.push_str(WITHHELD);
    out.push('"');
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
