//! Recursive types, and which two types are one.
use crate::schema::node::{Kind, Node};
use crate::schema::object::{Field, Object};
use crate::schema::union::{Body, Tagging, Union, Variant};

/// A type with a name of its own.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Object(&'static Object),
    Union(&'static Union),
}

impl Shape {
    pub(super) fn of(node: &Node) -> Option<Self> {
        match node.kind {
            Kind::Object(object) => Some(Self::Object(object())),
            Kind::Union(union) => Some(Self::Union(union())),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Object(object) => object.name,
            Self::Union(union) => union.name,
        }
    }

    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Object(object) => object.description,
            Self::Union(union) => union.description,
        }
    }

    /// Whether two are one type, as far as anyone who reads the schema can tell. Addresses do not
    /// say: a promoted constant may exist once per unit of compilation.
    pub(super) fn alike(self, other: Self) -> bool {
        same_shape(self, other, &mut Vec::new())
    }

    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Object(a), Self::Object(b)) => std::ptr::eq(a, b),
            (Self::Union(a), Self::Union(b)) => std::ptr::eq(a, b),
            _ => false,
        }
    }
}

/// The recursive types, each with its name in `$defs`.
#[derive(Clone, Default)]
pub(super) struct Definitions(pub(super) Vec<(String, Shape)>);

impl Definitions {
    pub(super) fn of(node: &Node) -> Self {
        let mut found = Self::default();
        found.find(node, &mut Vec::new(), &mut Vec::new());
        found
    }

    /// Every cycle leads back to a type that is still open, and that one becomes a definition.
    fn find(&mut self, node: &Node, open: &mut Vec<Shape>, done: &mut Vec<Shape>) {
        match node.kind {
            Kind::Array { items, .. } => return self.find(items(), open, done),
            Kind::Map { values, .. } => return self.find(values(), open, done),
            Kind::Tuple(items) => {
                return items().iter().for_each(|node| self.find(node, open, done));
            }
            _ => {}
        }
        let Some(shape) = Shape::of(node) else { return };
        if open.iter().any(|known| known.alike(shape)) {
            self.define(shape);
            return;
        }
        if done.iter().any(|known| known.alike(shape)) {
            return;
        }
        open.push(shape);
        match shape {
            Shape::Object(object) => self.fields(object.fields, open, done),
            Shape::Union(union) => {
                for variant in union.variants {
                    match variant.body {
                        Body::Unit => {}
                        Body::Struct(fields) => self.fields(fields, open, done),
                        // written out beside the tag, so the struct itself is not referred to
                        Body::Newtype(node)
                            if matches!(union.tagging, Tagging::Internal { .. }) =>
                        {
                            self.fields(node.fields(), open, done);
                        }
                        Body::Newtype(node) => self.find(&node, open, done),
                    }
                }
            }
        }
        open.pop();
        done.push(shape);
    }

    fn fields(&mut self, fields: &'static [Field], open: &mut Vec<Shape>, done: &mut Vec<Shape>) {
        fields.iter().for_each(|field| self.find(&field.node, open, done));
    }

    fn define(&mut self, shape: Shape) {
        if self.name_of(shape).is_some() {
            return;
        }
        let taken = self.0.iter().filter(|(_, known)| known.name() == shape.name()).count();
        let name = match taken {
            0 => shape.name().to_owned(),
            n => format!("{}_{}", shape.name(), n.saturating_add(1)),
        };
        self.0.push((name, shape));
    }

    pub(super) fn name_of(&self, shape: Shape) -> Option<&str> {
        self.0.iter().find(|(_, known)| known.alike(shape)).map(|(name, _)| name.as_str())
    }
}

type Assumed = Vec<(Shape, Shape)>;

/// Equal by shape; a pair that is being compared already is taken to be equal, so that recursive
/// types come to an end.
fn same_shape(a: Shape, b: Shape, assumed: &mut Assumed) -> bool {
    if a.is(b) || assumed.iter().any(|(x, y)| x.is(a) && y.is(b)) {
        return true;
    }
    if a.name() != b.name() || a.description() != b.description() {
        return false;
    }
    assumed.push((a, b));
    match (a, b) {
        (Shape::Object(a), Shape::Object(b)) => same_fields(a.fields, b.fields, assumed),
        (Shape::Union(a), Shape::Union(b)) => {
            a.tagging == b.tagging
                && a.variants.len() == b.variants.len()
                && a.variants.iter().zip(b.variants).all(|(a, b)| same_variant(a, b, assumed))
        }
        _ => false,
    }
}

fn same_variant(a: &'static Variant, b: &'static Variant, assumed: &mut Assumed) -> bool {
    a.name == b.name
        && a.description == b.description
        && match (&a.body, &b.body) {
            (Body::Unit, Body::Unit) => true,
            (Body::Newtype(a), Body::Newtype(b)) => same_node(a, b, assumed),
            (Body::Struct(a), Body::Struct(b)) => same_fields(a, b, assumed),
            _ => false,
        }
}

fn same_fields(a: &'static [Field], b: &'static [Field], assumed: &mut Assumed) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.name == b.name
                && a.description == b.description
                && a.required == b.required
                && a.default_text() == b.default_text()
                && a.sensitive == b.sensitive
                && same_node(&a.node, &b.node, assumed)
        })
}

fn same_node(a: &Node, b: &Node, assumed: &mut Assumed) -> bool {
    a.nullable == b.nullable
        && match (a.kind, b.kind) {
            (Kind::Any, Kind::Any) | (Kind::Null, Kind::Null) | (Kind::Bool, Kind::Bool) => true,
            (Kind::Int(a), Kind::Int(b)) => a == b,
            (Kind::Float(a), Kind::Float(b)) => a == b,
            (Kind::Text(a), Kind::Text(b)) => {
                a.length == b.length
                    && a.format == b.format
                    && a.pattern.map(|p| p.text) == b.pattern.map(|p| p.text)
            }
            (Kind::Choice(a), Kind::Choice(b)) => a == b,
            (
                Kind::Array { items: a, length: l, unique: u },
                Kind::Array { items: b, length: m, unique: v },
            ) => l == m && u == v && same_node(a(), b(), assumed),
            (Kind::Map { values: a, length: l }, Kind::Map { values: b, length: m }) => {
                l == m && same_node(a(), b(), assumed)
            }
            (Kind::Tuple(a), Kind::Tuple(b)) => {
                let (a, b) = (a(), b());
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_node(a, b, assumed))
            }
            _ => match (Shape::of(a), Shape::of(b)) {
                (Some(a), Some(b)) => same_shape(a, b, assumed),
                _ => false,
            },
        }
}
