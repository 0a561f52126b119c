//! The item as the author wrote it, attributes read, nothing judged yet.
use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Fields, Generics, Ident, Type};

use super::Role;
use super::attr::{self, Text};
use super::rename::Rule;
use super::serde::{Serde, SerdeName};
use crate::doc::Summary;
use crate::errors::Errors;

pub(super) struct Item<'a> {
    pub(super) ident: &'a Ident,
    pub(super) generics: &'a Generics,
    pub(super) role: Role,
    pub(super) summary: Summary,
    pub(super) arg: attr::Container,
    pub(super) serde: Serde,
    pub(super) body: Body<'a>,
}

pub(super) enum Body<'a> {
    Struct(Vec<Field<'a>>),
    /// `struct S;`, which serde writes as `null`.
    Unit,
    /// One value in a name of its own.
    Newtype(Box<Field<'a>>),
    Enum(Vec<Variant<'a>>),
    /// A shape without a schema; where it shows.
    Tuple(Span),
    Union(Span),
}

/// A rule for names, and where it stands.
type NameRule = Option<(Rule, Span)>;

pub(super) struct Field<'a> {
    /// Nothing in a tuple.
    pub(super) ident: Option<&'a Ident>,
    /// The property's name in JSON.
    pub(super) wire: String,
    pub(super) serde_name: SerdeName,
    pub(super) ty: &'a Type,
    pub(super) summary: Summary,
    pub(super) arg: attr::Field,
    pub(super) serde: Serde,
}

pub(super) struct Variant<'a> {
    pub(super) ident: &'a Ident,
    /// The text in JSON.
    pub(super) wire: String,
    pub(super) serde_name: SerdeName,
    pub(super) summary: Summary,
    pub(super) arg: attr::Variant,
    pub(super) serde: Serde,
    pub(super) content: Content<'a>,
}

pub(super) enum Content<'a> {
    Unit,
    Newtype(Box<Field<'a>>),
    Struct(Vec<Field<'a>>),
    /// A shape without a schema; where it shows.
    Tuple(Span),
}

/// Where a variant's name stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tagging<'a> {
    External,
    Internal(&'a str),
    Adjacent(&'a str, &'a str),
}

impl<'a> Item<'a> {
    pub(super) fn parse(item: &'a DeriveInput, role: Role, errors: &mut Errors) -> Self {
        let arg = attr::Container::parse(&item.attrs, errors);
        let serde = Serde::parse(&item.attrs, errors);
        let summary = Summary::parse(&item.attrs);
        let mut out = Self {
            ident: &item.ident,
            generics: &item.generics,
            role,
            summary,
            arg,
            serde,
            body: Body::Unit,
        };
        out.body = out.body(&item.data, errors);
        out
    }

    fn body(&self, data: &'a Data, errors: &mut Errors) -> Body<'a> {
        let names =
            Names { role: self.role, arg: self.arg.rename_all, serde: self.serde.rename_all };
        match data {
            Data::Struct(data) => match &data.fields {
                Fields::Unit => Body::Unit,
                Fields::Unnamed(fields) => match newtype(&data.fields, names, errors) {
                    Some(field) => Body::Newtype(field),
                    None => Body::Tuple(fields.span()),
                },
                Fields::Named(_) => {
                    let mut fields = names.fields(&data.fields, errors);
                    if self.transparent().is_some()
                        && fields.iter().filter(|f| f.is_written()).count() == 1
                    {
                        fields.retain(Field::is_written);
                        if let Some(only) = fields.pop() {
                            return Body::Newtype(Box::new(only));
                        }
                    }
                    Body::Struct(fields)
                }
            },
            Data::Enum(data) => Body::Enum(
                data.variants.iter().map(|v| Variant::parse(v, self, names, errors)).collect(),
            ),
            Data::Union(data) => Body::Union(data.union_token.span),
        }
    }

    pub(super) const fn tag(&self) -> Option<&Text> {
        match self.role {
            Role::Result => self.serde.tag.as_ref(),
            Role::Capability | Role::Argument => self.arg.tag.as_ref(),
        }
    }

    pub(super) const fn content(&self) -> Option<&Text> {
        match self.role {
            Role::Result => self.serde.content.as_ref(),
            Role::Capability | Role::Argument => self.arg.content.as_ref(),
        }
    }

    pub(super) const fn transparent(&self) -> Option<Span> {
        match self.role {
            Role::Result => self.serde.transparent,
            Role::Capability | Role::Argument => self.arg.transparent,
        }
    }

    pub(super) fn tagging(&self) -> Tagging<'_> {
        match (self.tag(), self.content()) {
            (Some((tag, _)), Some((content, _))) => Tagging::Adjacent(tag, content),
            (Some((tag, _)), None) => Tagging::Internal(tag),
            (None, _) => Tagging::External,
        }
    }

    pub(super) fn is_generic(&self) -> bool {
        !self.generics.params.is_empty()
    }
}

/// Where the names of one place come from.
#[derive(Clone, Copy)]
struct Names {
    role: Role,
    arg: NameRule,
    serde: NameRule,
}

impl Names {
    fn fields<'a>(self, fields: &'a Fields, errors: &mut Errors) -> Vec<Field<'a>> {
        fields.iter().map(|f| self.field(f, errors)).collect()
    }

    fn field<'a>(self, field: &'a syn::Field, errors: &mut Errors) -> Field<'a> {
        let arg = attr::Field::parse(&field.attrs, errors);
        let serde = Serde::parse(&field.attrs, errors);
        let own = field.ident.as_ref().map(|id| id.unraw().to_string()).unwrap_or_default();
        let ruled = |rule: NameRule| rule.map(|(rule, _)| rule.field(&own));
        let serde_name = serde.named(&own, self.serde, Rule::field);
        // A result is written by serde and goes by its names; an argument is read by us.
        let wire = match (self.role, &arg.rename) {
            (Role::Result, _) => serde_name.name.clone(),
            (_, Some((name, _))) => name.clone(),
            (_, None) => ruled(self.arg).unwrap_or_else(|| own.clone()),
        };
        let summary = Summary::parse(&field.attrs);
        Field { ident: field.ident.as_ref(), wire, serde_name, ty: &field.ty, summary, arg, serde }
    }
}

/// The only field of a tuple.
fn newtype<'a>(fields: &'a Fields, names: Names, errors: &mut Errors) -> Option<Box<Field<'a>>> {
    let mut all = fields.iter();
    match (all.next(), all.next()) {
        (Some(only), None) => Some(Box::new(names.field(only, errors))),
        _ => None,
    }
}

impl Field<'_> {
    /// Where messages about it stand.
    pub(super) fn span(&self) -> Span {
        self.ident.map_or_else(|| self.ty.span(), Ident::span)
    }

    /// Whether it is a part of what serde writes.
    pub(super) const fn is_written(&self) -> bool {
        self.serde.skip.is_none()
    }
}

impl<'a> Variant<'a> {
    fn parse(
        variant: &'a syn::Variant,
        item: &Item<'a>,
        names: Names,
        errors: &mut Errors,
    ) -> Self {
        let arg = attr::Variant::parse(&variant.attrs, errors);
        let serde = Serde::parse(&variant.attrs, errors);
        let own = variant.ident.unraw().to_string();
        let serde_name = serde.named(&own, names.serde, Rule::variant);
        let wire = match (item.role, &arg.rename) {
            (Role::Result, _) => serde_name.name.clone(),
            (_, Some((name, _))) => name.clone(),
            (_, None) => names.arg.map_or(Rule::Snake, |(rule, _)| rule).variant(&own),
        };
        let inside = Names {
            role: item.role,
            arg: arg.rename_all.or(item.arg.rename_all_fields),
            serde: serde.rename_all.or(item.serde.rename_all_fields),
        };
        let content = match &variant.fields {
            Fields::Unit => Content::Unit,
            Fields::Named(_) => Content::Struct(inside.fields(&variant.fields, errors)),
            Fields::Unnamed(fields) => match newtype(&variant.fields, inside, errors) {
                Some(field) => Content::Newtype(field),
                None => Content::Tuple(fields.span()),
            },
        };
        let summary = Summary::parse(&variant.attrs);
        Self { ident: &variant.ident, wire, serde_name, summary, arg, serde, content }
    }
}
