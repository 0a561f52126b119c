//! Types that describe themselves without a derive.
use sovereign_core::prelude::*;
use sovereign_core::schema::{Node, Reader, Stop};

use super::values::read;

/// Says more than it can hold.
#[derive(Debug, PartialEq)]
struct Wide(u8);

impl Schema for Wide {
    const NODE: Node = u16::NODE;
}

impl Arg for Wide {
    fn decode(reader: &mut Reader<'_>, node: &Node) -> Result<Self, Stop> {
        u8::decode(reader, node).map(Self)
    }
}

/// Takes it.
#[derive(Debug, PartialEq, Arg)]
struct Takes {
    /// What.
    #[arg(range(max = 999))]
    wide: Wide,
}

#[test]
fn a_node_wider_than_its_type_is_a_refusal_and_no_panic() {
    assert_eq!(read(r#"{"wide":255}"#), Ok(Takes { wide: Wide(255) }));
    assert_eq!(read::<Takes>(r#"{"wide":256}"#), Err("range".into()));
    assert_eq!(read::<Takes>(r#"{"wide":1000}"#), Err("range".into()));
}

macro_rules! large {
    ($($field:ident)*) => {
        /// A schema of tens of kilobytes.
        #[derive(Debug, PartialEq, Arg)]
        #[arg(rename_all = "SCREAMING-KEBAB-CASE")]
        struct Large {
            $(
                /// One of a hundred and ten fields, each with a text that is as long as the ones that
                /// authors write when they take care to say what belongs into a field, which form it
                /// has, what it means when it is left out, and where the reader finds an example of
                /// what others have written there before, so that the whole grows large.
                #[arg(pattern = "^[a-z]{1,20}$", default = "x")]
                $field: String,
            )*
        }
    };
}
large! {
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9
    d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9
    g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 i0 i1 i2 i3 i4 i5 i6 i7 i8 i9
    j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 k0 k1 k2 k3 k4 k5 k6 k7 k8 k9
}

#[test]
fn a_large_schema_compiles_and_reads() {
    let text =
        sovereign_core::schema::render(&Large::NODE, sovereign_core::schema::Profile::Portable);
    assert!(text.len() > 42_000, "{}", text.len());
    let large: Large = read(r#"{"K9":"last"}"#).unwrap();
    assert_eq!((large.a0.as_str(), large.k9.as_str()), ("x", "last"));
    assert_eq!(read::<Large>(r#"{"k9":"last"}"#), Err("unknown_field".into()));
}
