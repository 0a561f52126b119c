//! Sets and maps.
use super::spell::{list, member, sorted};
use crate::schema::{Arg, Node, Reader, Schema, Stop};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

macro_rules! sets {
    ($($set:ident: $($bound:ident +)*;)*) => {$(
        /// Of integers, strings and plain enums; a list that holds a value twice is refused.
        impl<T: Schema> Schema for $set<T> {
            const NODE: Node = Node::set(T::NODE, || const { &T::NODE });
            const ITEMS: Option<Node> = Some(T::NODE);
        }
        impl<T: Arg $(+ $bound)*> Arg for $set<T> {
            fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
                let mut out = Self::new();
                r.set(n, T::decode, |item| out.insert(item))?;
                Ok(out)
            }
            fn spelled(&self) -> Option<String> {
                sorted(self.iter().map(T::spelled)).and_then(|items| list(items.into_iter().map(Some)))
            }
        }
    )*};
}
sets! {
    BTreeSet: Ord +;
    HashSet: Eq + Hash +;
}

macro_rules! maps {
    ($($map:ident),*) => {$(
        /// A key that comes twice is refused.
        impl<T: Schema> Schema for $map<String, T> {
            const NODE: Node = Node::map(|| const { &T::NODE });
            const ITEMS: Option<Node> = Some(T::NODE);
        }
        impl<T: Arg> Arg for $map<String, T> {
            fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
                r.map(n, T::decode).map(|entries| entries.into_iter().collect())
            }
            fn spelled(&self) -> Option<String> {
                let members = self.iter().map(|(key, value)| member(key, value.spelled()));
                sorted(members).map(|members| format!("{{{}}}", members.join(",")))
            }
        }
    )*};
}
maps!(BTreeMap, HashMap);
