use syn::{DeriveInput, parse_quote};

use super::Summary;

fn summary(item: &DeriveInput) -> Summary {
    Summary::parse(&item.attrs)
}

#[test]
fn the_first_paragraph_becomes_one_line() {
    let item = parse_quote! {
        /// Reports free space
        /// of one volume.
        ///
        /// This stays in rustdoc.
        struct S;
    };
    assert_eq!(summary(&item).text, "Reports free space of one volume.");
}

#[test]
fn stars_of_a_block_comment_are_no_text() {
    let item = parse_quote! {
        /**
         * Reports free space
         * of one volume.
         *
         * More.
         */
        struct S;
    };
    assert_eq!(summary(&item).text, "Reports free space of one volume.");
}

#[test]
fn a_blank_comment_says_nothing() {
    let item = parse_quote! {
        ///
        struct S;
    };
    assert_eq!(summary(&item).text, "");
    assert!(summary(&item).computed.is_none());
}

#[test]
fn text_that_is_not_there_yet_is_noticed() {
    let item = parse_quote! {
        #[doc = include_str!("about.md")]
        struct S;
    };
    assert!(summary(&item).computed.is_some());
}
