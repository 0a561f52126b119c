//! Values told apart by a tag.
use super::object::Fields;
use super::{Fault, Reader, Stop};
use crate::schema::arg::Arg;
use crate::schema::node::{Kind, Node};
use crate::schema::union::{Body, Tagging, Union, Variant};
use crate::schema::violation::{self, Received, Segment, code};

/// The body of the variant that was found: what is left to read of a union.
#[derive(Debug)]
pub struct Inside {
    body: &'static Body,
    /// The key that stands among the body's own.
    tag: Option<&'static str>,
}

impl<'a> Reader<'a> {
    /// Reads a tagged value: finds the variant, then has `read` read its body with exactly one of
    /// [`Self::unit`], [`Self::newtype`] and [`Self::variant_fields`]. `read` is given the
    /// variant's index.
    ///
    /// # Errors
    /// When something else is next, the tag is not one of the variants', or the body does not fit.
    pub fn union<T>(
        &mut self,
        node: &Node,
        read: impl FnOnce(&mut Self, usize, &Inside) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let Kind::Union(union) = node.kind else { return Err(self.mismatch(node)) };
        let union = union();
        match union.tagging {
            Tagging::Internal { tag } => self.internal(node, union, tag, read),
            Tagging::External => self.external(node, union, read),
            Tagging::Adjacent { tag, content } => self.adjacent(node, union, tag, content, read),
        }
    }

    /// The body of a variant that holds nothing.
    ///
    /// # Errors
    /// When there is something beside the tag.
    pub fn unit(&mut self, inside: &Inside) -> Result<(), Stop> {
        match inside.tag {
            None => Ok(()),
            Some(tag) => {
                let mut fields = self.enter_fields(&[], Some(tag))?;
                while self.next(&mut fields)?.is_some() {}
                self.finish(&fields)
            }
        }
    }

    /// The body of a variant that holds one value.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn newtype<T: Arg>(&mut self, inside: &Inside) -> Result<T, Stop> {
        self.one_value(inside, T::decode)
    }

    /// The body of a variant with named fields, entered as by [`Self::object`].
    ///
    /// # Errors
    /// When something else is next.
    pub fn variant_fields(&mut self, inside: &Inside) -> Result<Fields, Stop> {
        let Body::Struct(table) = *inside.body else {
            return Err(self.wrong("the variant's body"));
        };
        if self.peek() != Some(b'{') {
            return Err(self.wrong("an object"));
        }
        self.enter_fields(table, inside.tag)
    }

    /// Runs `read` on the one value of a body.
    pub(super) fn one_value<T>(
        &mut self,
        inside: &Inside,
        read: impl FnOnce(&mut Self, &Node) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let Body::Newtype(node) = inside.body else { return Err(self.wrong("the variant's body")) };
        self.tag = inside.tag;
        let value = read(self, node);
        self.tag = None;
        value
    }

    pub(super) fn check_body(&mut self, inside: &Inside) -> Result<(), Stop> {
        match inside.body {
            Body::Unit => self.unit(inside),
            Body::Newtype(_) => self.one_value(inside, Self::check),
            Body::Struct(_) => {
                let fields = self.variant_fields(inside)?;
                self.check_fields(fields)
            }
        }
    }

    /// The tag is looked for first, then the whole object is read by the variant. A tag that comes
    /// first, as published, costs nothing.
    fn internal<T>(
        &mut self,
        node: &Node,
        union: &'static Union,
        tag: &'static str,
        read: impl FnOnce(&mut Self, usize, &Inside) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        if self.peek() != Some(b'{') {
            return Err(self.mismatch(node));
        }
        let (start, depth) = (self.at, self.depth);
        let found = self.find_tag(union, tag)?;
        (self.at, self.depth) = (start, depth);
        match found {
            Ok((index, variant)) => {
                read(self, index, &Inside { body: &variant.body, tag: Some(tag) })
            }
            Err((code, received)) => {
                self.skip()?;
                Err(self.untagged(union, tag, code, received))
            }
        }
    }

    /// The variant that the object at the cursor names; stops right after the tag.
    fn find_tag(&mut self, union: &'static Union, tag: &'static str) -> Result<Named, Stop> {
        self.enter()?;
        if self.peek() != Some(b'}') {
            loop {
                if self.key()? == tag {
                    return self.named(union);
                }
                self.skip()?;
                if !self.another(b'}')? {
                    break;
                }
            }
        }
        Ok(Err((code::MISSING_FIELD, Received::Nothing)))
    }

    /// The variant whose name is the value at the cursor.
    fn named(&mut self, union: &'static Union) -> Result<Named, Stop> {
        let received = self.received();
        if received != Received::String {
            self.skip()?;
            return Ok(Err((code::TYPE, received)));
        }
        let name = self.string()?;
        let found = union.variants.iter().enumerate().find(|(_, variant)| variant.name == name);
        Ok(found.ok_or((code::CHOICE, received)))
    }

    /// No variant is named.
    #[cold]
    fn untagged(
        &mut self,
        union: &'static Union,
        tag: &'static str,
        code: &'static str,
        received: Received,
    ) -> Stop {
        let mark = self.findings.len();
        self.findings.add(code, received, || violation::variants(union, |_| true));
        self.findings.prefix(mark, Segment::Key(tag));
        Stop::Invalid
    }

    fn external<T>(
        &mut self,
        node: &Node,
        union: &'static Union,
        read: impl FnOnce(&mut Self, usize, &Inside) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut variants = union.variants.iter().enumerate();
        match self.peek() {
            Some(b'"') => {
                let name = self.string()?;
                match variants.find(|(_, v)| v.name == name && v.is_unit()) {
                    Some((index, v)) => read(self, index, &Inside { body: &v.body, tag: None }),
                    None => Err(self.record(code::CHOICE, Received::String, node)),
                }
            }
            Some(b'{') => {
                self.enter()?;
                if self.peek() == Some(b'}') {
                    self.leave();
                    return Err(self.record(code::CHOICE, Received::Object, node));
                }
                let key = self.key()?;
                let Some((index, v)) = variants.find(|(_, v)| v.name == key && !v.is_unit()) else {
                    self.skip()?;
                    self.close(None)?;
                    return Err(self.record(code::CHOICE, Received::Object, node));
                };
                let inside = Inside { body: &v.body, tag: None };
                let value =
                    self.within(Segment::Key(v.name), |reader| read(reader, index, &inside))?;
                if self.close(Some(v.name))? {
                    return Err(self.record(code::UNKNOWN_FIELD, Received::Object, node));
                }
                value.ok_or(Stop::Invalid)
            }
            _ => Err(self.mismatch(node)),
        }
    }

    /// Reads past the rest of an object: whether there was any. `first` is the key that was read.
    fn close(&mut self, first: Option<&'static str>) -> Result<bool, Stop> {
        let mut more = false;
        while self.another(b'}')? {
            more = true;
            let key = self.key()?;
            if first.is_some_and(|first| first == key) {
                let at = self.at;
                return Err(self.halt(Fault::DuplicateKey { at }));
            }
            self.skip()?;
        }
        self.leave();
        Ok(more)
    }

    /// Tag and content in any order: the object is read past once to find both, then the content is
    /// read by the variant.
    fn adjacent<T>(
        &mut self,
        node: &Node,
        union: &'static Union,
        tag: &'static str,
        content: &'static str,
        read: impl FnOnce(&mut Self, usize, &Inside) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        if self.peek() != Some(b'{') {
            return Err(self.mismatch(node));
        }
        // two fields that hold anything: unknown and repeated keys are judged as everywhere else
        let mut fields = self.enter_fields(&[], None)?;
        let (mut found, mut at) = (None, None);
        while let Some(index) = self.next_of(&mut fields, &[tag, content])? {
            if index == 0 {
                found = Some(self.named(union)?);
            } else {
                self.peek();
                at = Some((self.at, self.depth));
                self.skip()?;
            }
        }
        let (end, depth) = (self.at, self.depth);
        let value = match (found, at) {
            (Some(Ok((index, variant))), at) if variant.is_unit() == at.is_none() => {
                let inside = Inside { body: &variant.body, tag: None };
                match at {
                    Some((at, depth)) => {
                        (self.at, self.depth) = (at, depth);
                        self.within(Segment::Key(content), |reader| read(reader, index, &inside))
                    }
                    None => read(self, index, &inside).map(Some),
                }?
            }
            (Some(Ok(_)), None) => {
                let mark = self.findings.len();
                self.findings.add(code::MISSING_FIELD, Received::Nothing, || {
                    "what the variant holds".into()
                });
                self.findings.prefix(mark, Segment::Key(content));
                None
            }
            (Some(Ok(_)), Some(_)) => {
                let received = Received::Object;
                self.findings.add(code::UNKNOWN_FIELD, received, || {
                    format!("nothing beside `{tag}` for this variant").into()
                });
                None
            }
            (Some(Err((code, received))), _) => {
                self.untagged(union, tag, code, received);
                None
            }
            (None, _) => {
                self.untagged(union, tag, code::MISSING_FIELD, Received::Nothing);
                None
            }
        };
        (self.at, self.depth) = (end, depth);
        match value {
            Some(value) if !fields.is_bad() => Ok(value),
            Some(_) | None => Err(Stop::Invalid),
        }
    }
}

/// A variant with its index, or what is wrong with the name.
type Named = Result<(usize, &'static Variant), (&'static str, Received)>;
