//! Checking a value against a tree without building it.
use super::object::Fields;
use super::{Reader, Stop};
use crate::schema::node::{Kind, Node};
use std::borrow::Cow;
use std::collections::HashSet;

/// What two items of a set are compared by.
#[derive(PartialEq, Eq, Hash)]
enum Scalar<'a> {
    Whole(i128),
    Text(Cow<'a, str>),
    Choice(usize),
}

impl<'a> Reader<'a> {
    /// Checks the value at the cursor.
    pub(super) fn check(&mut self, node: &Node) -> Result<(), Stop> {
        if node.nullable && self.take_null()? {
            return Ok(());
        }
        match node.kind {
            Kind::Any => self.skip(),
            Kind::Null => self.null(node),
            Kind::Bool => self.bool(node).map(drop),
            Kind::Int(_) => self.int(node).map(drop),
            Kind::Float(_) => self.number(node).map(drop),
            Kind::Text(_) => self.check_text(node),
            Kind::Choice(_) => self.choice(node).map(drop),
            Kind::Array { unique: true, .. } => {
                let mut seen = HashSet::new();
                self.set(node, Self::scalar, |value| seen.insert(value))
            }
            // a list of `()` owns no memory
            Kind::Array { .. } => self.array(node, Self::check).map(drop),
            Kind::Tuple(_) => self.tuple(node, |reader, _, node| reader.check(node)),
            Kind::Map { .. } => self.entries(node, |reader, _, node| reader.check(node)),
            Kind::Union(_) => self.union(node, |reader, _, inside| reader.check_body(inside)),
            Kind::Object(_) => self.check_object(node),
        }
    }

    fn check_object(&mut self, node: &Node) -> Result<(), Stop> {
        let fields = self.object(node)?;
        self.check_fields(fields)
    }

    pub(super) fn check_fields(&mut self, mut fields: Fields) -> Result<(), Stop> {
        while let Some(index) = self.next(&mut fields)? {
            self.member(&mut fields, index, Self::check)?;
        }
        self.finish(&fields)
    }

    /// An item of a set; [`Node::set`] takes no other kinds.
    fn scalar(&mut self, node: &Node) -> Result<Scalar<'a>, Stop> {
        match node.kind {
            Kind::Int(_) => self.int(node).map(Scalar::Whole),
            Kind::Choice(_) => self.choice(node).map(Scalar::Choice),
            _ => self.text(node).map(Scalar::Text),
        }
    }
}
