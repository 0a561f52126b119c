//! Tagged enums in each of their forms, recursive, and read as the derive reads them.
use super::types::Point;
use serde::{Deserialize, Serialize};
use sovereign_core::Arg;
use sovereign_core::schema::{
    Arg, Body, Field, Node, Reader, Schema, Stop, Tagging, Union, Variant,
};
use std::collections::BTreeMap;

macro_rules! tagged {
    ($name:ident, $tagging:expr, $(#[$serde:meta])*) => {
        #[derive(Debug, Serialize, Deserialize)]
        $(#[$serde])*
        #[serde(rename_all = "snake_case")]
        pub(crate) enum $name {
            Place(Point),
            Disc { radius: u8, label: Option<String> },
            Group { first: Option<Box<$name>>, rest: Vec<$name> },
            Nothing,
        }

        impl Schema for $name {
            const NODE: Node = Node::union(|| {
                const {
                    &Union {
                        name: stringify!($name),
                        description: "A shape.",
                        tagging: $tagging,
                        variants: &[
                            Variant {
                                name: "place",
                                description: "",
                                body: Body::Newtype(Point::NODE.beside_tag()),
                            },
                            Variant {
                                name: "disc",
                                description: "A disc.",
                                body: Body::Struct(&[
                                    Field::new("radius", "How wide.", u8::NODE),
                                    Field::new("label", "", <Option<String>>::NODE.length(0, 4))
                                        .required(false),
                                ]),
                            },
                            Variant {
                                name: "group",
                                description: "",
                                body: Body::Struct(&[
                                    Field::new("first", "", <Option<Box<$name>>>::NODE)
                                        .required(false),
                                    Field::new("rest", "", <Vec<$name>>::NODE.length(0, 2)),
                                ]),
                            },
                            Variant { name: "nothing", description: "", body: Body::Unit },
                        ],
                    }
                }
            });
        }

        impl Arg for $name {
            fn decode(reader: &mut Reader<'_>, node: &Node) -> Result<Self, Stop> {
                reader.union(node, |reader, index, inside| match index {
                    0 => reader.newtype(inside).map(Self::Place),
                    1 => {
                        let mut fields = reader.variant_fields(inside)?;
                        let (mut radius, mut label) = (None, None);
                        while let Some(index) = reader.next(&mut fields)? {
                            match index {
                                0 => reader.field(&mut fields, index, &mut radius)?,
                                _ => reader.field(&mut fields, index, &mut label)?,
                            }
                        }
                        reader.finish(&fields)?;
                        let radius = radius.ok_or(Stop::Invalid)?;
                        Ok(Self::Disc { radius, label: label.unwrap_or_default() })
                    }
                    2 => {
                        let mut fields = reader.variant_fields(inside)?;
                        let (mut first, mut rest) = (None, None);
                        while let Some(index) = reader.next(&mut fields)? {
                            match index {
                                0 => reader.field(&mut fields, index, &mut first)?,
                                _ => reader.field(&mut fields, index, &mut rest)?,
                            }
                        }
                        reader.finish(&fields)?;
                        let rest = rest.ok_or(Stop::Invalid)?;
                        Ok(Self::Group { first: first.unwrap_or_default(), rest })
                    }
                    _ => reader.unit(inside).map(|()| Self::Nothing),
                })
            }
        }
    };
}
tagged!(Inside, Tagging::Internal { tag: "kind" }, #[serde(tag = "kind")]);
tagged!(Around, Tagging::External,);
tagged!(Beside, Tagging::Adjacent { tag: "kind", content: "of" }, #[serde(tag = "kind", content = "of")]);

macro_rules! holding {
    ($name:ident, $shape:ident) => {
        /// Shapes wherever a value can stand.
        #[derive(Debug, Serialize, Deserialize, Arg)]
        pub(crate) struct $name {
            /// One.
            pub(crate) one: $shape,
            /// One or none.
            pub(crate) maybe: Option<$shape>,
            /// Some.
            #[arg(length(max = 2))]
            pub(crate) some: Vec<$shape>,
            /// Named.
            #[arg(length(max = 2))]
            pub(crate) named: BTreeMap<String, $shape>,
        }
    };
}
holding!(HoldsInside, Inside);
holding!(HoldsAround, Around);
holding!(HoldsBeside, Beside);
