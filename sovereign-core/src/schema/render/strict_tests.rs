use super::*;
use crate::Arg;
use crate::schema::fixtures::{Nested, Nothing, Scalars, Tree};
use crate::schema::{Json, Schema};
use std::collections::{BTreeMap, BTreeSet};

/// All that Anthropic's strict mode leaves out.
#[derive(Arg)]
struct Bounded {
    /// How many.
    #[arg(range(min = 1, max = 60), multiple_of = 5, default = 10)]
    count: u8,
    /// Where.
    #[arg(length(min = 1, max = 9), pattern = "^[a-z]+$")]
    place: String,
    /// Which days.
    #[arg(length(min = 1, max = 3), inner(format = "date"))]
    days: Vec<String>,
    /// Words.
    #[arg(length(min = 2))]
    words: BTreeSet<String>,
    /// Across and down.
    point: (i8, bool),
    /// Which pair.
    pair: [u8; 2],
}

#[test]
fn anthropic_strict_says_in_words_what_it_has_no_keyword_for() {
    assert_eq!(
        render(&Bounded::NODE, Profile::AnthropicStrict),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""count":{"description":"How many. (at least 1, at most 60, a multiple of 5, 10 when left out)","type":["integer","null"]},"#,
            r#""place":{"description":"Where. (at least 1 characters, at most 9 characters, matching ^[a-z]+$)","type":"string"},"#,
            r#""days":{"description":"Which days. (at most 3 items)","type":"array","items":{"type":"string","format":"date"},"minItems":1},"#,
            r#""words":{"description":"Words. (at least 2 items, each only once)","type":"array","items":{"type":"string"}},"#,
            r#""point":{"description":"Across and down. (an integer from -128 to 127, then a boolean, 2 items in all)","type":"array","#,
            r#""items":{"anyOf":[{"description":"at least -128, at most 127","type":"integer"},{"type":"boolean"}]}},"#,
            r#""pair":{"description":"Which pair. (at least 2 items, at most 2 items)","type":"array","items":{"description":"at least 0, at most 255","type":"integer"}}},"#,
            r#""required":["place","days","words","point","pair"],"additionalProperties":false}"#
        )
    );
}

#[test]
fn what_strict_modes_cannot_describe_is_told_before_anything_is_sent() {
    for profile in [Profile::OpenAiStrict, Profile::AnthropicStrict] {
        assert_eq!(strict(&<Vec<Json>>::NODE, profile), Err(NotStrict::FreeValue));
        assert_eq!(strict(&<Vec<BTreeMap<String, u8>>>::NODE, profile), Err(NotStrict::FreeKeys));
        assert_eq!(strict(&Nothing::NODE, profile), Ok(Share::default()));
        assert_eq!(strict(&Scalars::NODE, profile), Ok(Share::default()));
    }
    assert_eq!(strict(&Tree::NODE, Profile::AnthropicStrict), Err(NotStrict::Recursive));
    assert!(strict(&Tree::NODE, Profile::OpenAiStrict).is_ok());
}

#[test]
fn the_share_of_the_limits_is_what_the_published_text_holds() {
    // `items`, `one`, and the `y` of each of them
    let anthropic = strict(&Nested::NODE, Profile::AnthropicStrict);
    assert_eq!(anthropic, Ok(Share { optional: 4, unions: 4 }));
    let open_ai = strict(&Nested::NODE, Profile::OpenAiStrict);
    assert_eq!(open_ai, Ok(Share { optional: 0, unions: 4 }));
    let bounded = strict(&Bounded::NODE, Profile::AnthropicStrict);
    assert_eq!(bounded, Ok(Share { optional: 1, unions: 2 }));
}
