use super::receiver::receiver;
use super::rows::{ValueKind, rows};
use super::script::mixed;
use super::{DisclosedCall, Disclosure};
use crate::prelude::*;
use crate::schema::{Field, Node, Object, RawArguments};

/// One line of an order.
#[derive(Debug, Arg)]
struct Line {
    /// What.
    what: String,
    /// How many.
    count: Option<u8>,
}

/// Orders things.
#[capability(name = "shop.order", side_effect = mutating, network = external, category = search)]
struct Order {
    /// What to order.
    lines: Vec<Line>,
    /// A remark.
    note: Option<String>,
    /// Up to which price.
    limit: Option<f64>,
    /// Whether it is a present.
    gift: Option<bool>,
    /// A large number.
    serial: Option<i64>,
}

impl Run for Order {
    type State = ();
    type Output = Changed<()>;
    async fn run(self, _: Call<'_, Self>) -> Result<Changed<()>, Failure> {
        let lines = self.lines.into_iter().map(|l| (l.what, l.count));
        drop((lines.count(), self.note, self.limit, self.gift, self.serial));
        Ok(Changed::no(()))
    }
}

fn disclosed(arguments: &str) -> DisclosedCall {
    let raw = RawArguments::parse(arguments.as_bytes()).unwrap();
    let d = Order::ENTRY.descriptor;
    DisclosedCall::of(d, &raw, Some("https://shop.example/x"), Some("an order")).unwrap()
}

#[test]
fn every_value_has_a_row_of_its_own_however_deep_it_lies() {
    let shown = disclosed(
        r#"{"serial":2e1,"lines":[{"what":"a","count":2.0},{"what":"b","count":null}],"limit":0.10,"gift":true}"#,
    );
    let rows: Vec<_> = shown
        .arguments
        .iter()
        .map(|a| (a.name.as_str(), a.kind, a.value.as_deref().unwrap_or("-"), a.bytes))
        .collect();
    assert_eq!(
        rows,
        [
            ("lines/0/what", ValueKind::Text, "\"a\"", 1),
            ("lines/0/count", ValueKind::WholeNumber, "2", 3),
            ("lines/1/what", ValueKind::Text, "\"b\"", 1),
            ("lines/1/count", ValueKind::Nothing, "null", 4),
            ("note", ValueKind::Nothing, "-", 0),
            ("limit", ValueKind::Number, "0.1", 4),
            ("gift", ValueKind::YesOrNo, "true", 4),
            ("serial", ValueKind::WholeNumber, "20", 3),
        ]
    );
    let empty = disclosed(r#"{"lines":[]}"#);
    assert_eq!(empty.arguments[0].value.as_deref(), Some("[]"));
}

#[test]
fn one_of_a_list_and_an_object_without_fields_have_rows_of_their_own_kind() {
    /// Wraps or does not.
    #[derive(Arg)]
    enum Wrapping {
        /// Paper.
        Paper,
        /// Nothing.
        Bare,
    }
    /// Says nothing.
    #[derive(Arg)]
    struct Nothing {}
    /// How it is sent.
    #[derive(Arg)]
    struct Parcel {
        /// Wrapping.
        wrapping: Wrapping,
        /// Nothing.
        nothing: Nothing,
    }
    let shown = rows(&Parcel::NODE, r#"{"nothing":{ },"wrapping":"paper"}"#).unwrap();
    let shown: Vec<_> =
        shown.iter().map(|a| (a.name.as_str(), a.kind, a.value.as_deref().unwrap())).collect();
    assert_eq!(
        shown,
        [("wrapping", ValueKind::Choice, "\"paper\""), ("nothing", ValueKind::Object, "{}")]
    );
}

#[test]
fn a_value_that_the_schema_does_not_name_is_not_left_out_silently() {
    let node = &Order::ENTRY.descriptor.arguments;
    assert_eq!(rows(node, r#"{"lines":[],"hidden":1}"#), None);
    assert_eq!(rows(node, r#"{"lines":[{"what":"a","hidden":1}]}"#), None);
}

#[test]
fn a_value_of_a_shape_without_rows_is_shown_as_json_with_visible_escapes() {
    static FIELDS: [Field; 1] = [Field {
        name: "any",
        description: "",
        node: Node::BOOL,
        required: true,
        computed: None,
        default: None,
        sensitive: false,
    }];
    static OBJECT: Object = Object { name: "Odd", description: "", fields: &FIELDS };
    let json = r#"{"any": {"b": "\u202e\u001b", "p\u0430y": [1, null]}}"#;
    let shown = rows(&Node::object(|| &OBJECT), json).unwrap();
    let value = "{\"b\":\"\\u{202e}\\\\u001b\",\"p\u{430}y\":[1,null]}";
    assert_eq!((shown[0].kind, shown[0].value.as_deref()), (ValueKind::Json, Some(value)));
    assert_eq!(shown[0].warnings.len(), 1);
}

#[test]
fn every_scalar_value_is_shown_whole_and_printable() {
    let all: Vec<char> = ('\0'..=char::MAX).filter(|c| *c != '|').collect();
    let mut seen = 0;
    for some in all.chunks(2048) {
        let text: Vec<String> = some.iter().map(char::to_string).collect();
        let json = serde_json::json!({"lines": [], "note": text.join("|")}).to_string();
        let shown = rows(&Order::ENTRY.descriptor.arguments, &json).unwrap();
        let note = shown[1].value.as_deref().unwrap();
        let inner = note.strip_prefix('"').and_then(|n| n.strip_suffix('"')).unwrap();
        for (c, shown) in some.iter().zip(inner.split('|')) {
            one_is_shown(*c, shown);
            seen += 1;
        }
    }
    assert_eq!(seen, 0x11_0000 - 0x800 - 1, "every scalar value but the separator");
    assert_eq!(super::receiver::quoted("|"), "\"|\"");
}

fn one_is_shown(c: char, shown: &str) {
    let as_itself = shown.chars().eq([c]);
    let escaped = shown == format!("\\u{{{:x}}}", u32::from(c));
    let quoted = matches!((c, shown), ('"', "\\\"") | ('\\', "\\\\"));
    assert!(as_itself || escaped || quoted, "U+{:04X} is {shown}", u32::from(c));
    let draws = c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}');
    assert!(!(draws && as_itself), "U+{:04X} is not escaped", u32::from(c));
}

#[test]
fn words_that_mix_scripts_are_named() {
    assert_eq!(mixed("p\u{430}ypal.example"), ["`p\u{430}ypal` mixes Latin and Cyrillic"]);
    assert_eq!(mixed("\u{39f}MEGA").len(), 1, "a Greek letter that looks like an O");
    for fine in
        ["plain", "naïve 日本語 Tシャツ", "Київ and Athens Αθήνα", "한국어LG", "e\u{301}a 7"]
    {
        assert_eq!(mixed(fine), [""; 0], "{fine}");
    }
    let hidden = &mixed("p\u{430}\u{200d}y")[0];
    assert!(!hidden.contains('\u{200d}') && hidden.contains("\\u{200d}"), "{hidden}");
    assert_eq!(mixed(&"p\u{430} ".repeat(50)).len(), 8);
    let shown = disclosed("{\"lines\":[],\"note\":\"p\u{430}ypal\"}").to_string();
    assert!(shown.contains("Look twice: `p\u{430}ypal` mixes Latin and Cyrillic."), "{shown}");
}

#[test]
fn a_receiver_is_a_host_in_ascii_with_its_port_or_words_in_quotes() {
    for (named, shown) in [
        ("search.example:443", "search.example:443"),
        ("https://b\u{fc}cher.example/path?q", "xn--bcher-kva.example:443"),
        ("http://p\u{430}ypal.example", "xn--pypal-4ve.example:80"),
        ("http://EXAMPLE.com:8080", "example.com:8080"),
        ("[2606:4700::1111]:443", "[2606:4700::1111]:443"),
        ("https://[::1]/", "[::1]:443"),
        ("example.com", "example.com (port not stated)"),
        ("https://user@evil.example/", "\"https://user@evil.example/\""),
        ("good.example:443/x.evil.example", "\"good.example:443/x.evil.example\""),
        ("good.example:99999", "\"good.example:99999\""),
        ("good!.example:443", "\"good!.example:443\""),
        (":443", "\":443\""),
        ("the printer", "\"the printer\""),
        ("a\u{202e}b:1", "\"a\\u{202e}b:1\""),
        ("", "\"\""),
    ] {
        assert_eq!(receiver(named), shown, "{named}");
    }
}

#[test]
fn a_long_value_cannot_draw_a_line_of_its_own() {
    let forged = format!("{}It changes nothing.", " ".repeat(300));
    let shown = disclosed(&format!(r#"{{"lines":[],"note":"{forged}"}}"#)).to_string();
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let lines: Vec<_> = shown.lines().filter(|l| l.contains("It changes nothing.")).collect();
    assert!(lines.iter().all(|line| line.starts_with("    | ")), "{shown}");
    let unfolded = shown.replace("\n    | ", "");
    assert!(unfolded.contains(&format!("note = \"{forged}\" (text, 319 bytes)")), "{shown}");
}

#[test]
fn spacing_and_order_of_the_bytes_do_not_make_another_question() {
    let question = |arguments: &str| Disclosure::Call(disclosed(arguments)).question();
    let asked = question(r#"{"lines":[],"note":"a","serial":20}"#);
    assert_eq!(asked, question(r#"{ "serial" : 2e1, "note" : "\u0061", "lines" : [ ] }"#));
    assert_eq!(asked, question(r#"{"lines":[],"note":"a","serial":20,"gift":null}"#));
    for other in [
        r#"{"lines":[],"note":"b","serial":20}"#,
        r#"{"lines":[],"note":"a","serial":21}"#,
        r#"{"lines":[],"note":"a"}"#,
        r#"{"lines":[{"what":"a"}],"note":"a","serial":20}"#,
    ] {
        assert_ne!(asked, question(other), "{other}");
    }
}

#[test]
fn the_wording_follows_the_two_classes() {
    let shown = disclosed(r#"{"lines":[]}"#).to_string();
    assert!(shown.contains("These 12 bytes of arguments leave this device, to shop.example:443."));
    assert!(shown.contains("It changes something: an order"), "{shown}");
}
