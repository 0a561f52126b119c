use super::{Extract, extract};

fn text(html: &str) -> String {
    extract(html).text
}

#[test]
fn words_are_not_split_at_inline_tags_and_blocks_stand_on_lines_of_their_own() {
    for (html, expected) in [
        ("un<b>believ</b>able", "unbelievable"),
        ("<p>one<p>two", "one\ntwo"),
        ("<div>a<div>b</div>c</div>", "a\nb\nc"),
        ("a <i>b</i> c", "a b c"),
        ("a<span> b</span>", "a b"),
        ("  a \n\t b  ", "a b"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul><li>x<li>y</ul>z", "x\ny\nz"),
        ("<table><tr><th>k<td>v<tr><td>1<td>2</table>", "k\tv\n1\t2"),
        ("<h1>Head</h1>body", "Head\nbody"),
        ("<pre>a\n  b\n</pre>c", "a\n  b\nc"),
        ("<dl><dt>t<dd>d</dl>", "t\nd"),
        ("", ""),
    ] {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn entities_are_decoded_once() {
    assert_eq!(text("&lt;b&gt; &amp;amp; caf&eacute; &#x41;&nbsp;&hellip;"), "<b> &amp; café A …");
}

#[test]
fn what_a_reader_does_not_see_is_left_out() {
    for hidden in [
        "<script>s</script>",
        "<style>s</style>",
        "<template><p>s</p></template>",
        "<p hidden>s</p>",
        "<p hidden=until-found>s</p>",
        "<div style='display:none'>s<p>s</p></div>",
        "<div style='color:red; DISPLAY : None !important'>s</div>",
        "<span style=visibility:hidden>s</span>",
        "<span style='opacity:0'>s</span>",
        "<span style='font-size: 0px'>s</span>",
        "<!-- s -->",
        "<iframe>s</iframe>",
        "<svg><title>s</title><style>s</style></svg>",
        "<object>s</object>",
        "<p hidden><b>s",
    ] {
        assert_eq!(text(&format!("<p>before</p>{hidden}<p>after")), "before\nafter", "{hidden}");
    }
    // Names and values that only look alike stay.
    for shown in [
        "<p data-hidden>s</p>",
        "<p style='display:block'>s</p>",
        "<p style='--display:none2'>s</p>",
    ] {
        assert_eq!(text(shown), "s", "{shown}");
    }
}

#[test]
fn misnested_markup_hides_what_a_browser_hides() {
    // An inline tag left open inside does not swallow the rest of the page.
    assert_eq!(text("<div style=display:none><span>s</div>seen"), "seen");
    assert_eq!(text("<ul><li hidden>s<li>seen</ul>"), "seen");
    // Text between the rows of a table is moved before it.
    assert_eq!(text("<table>stray<tr><td>cell</table>"), "stray\ncell");
    assert_eq!(text("<b>1<p>2</b>3</p>"), "1\n23");
}

#[test]
fn the_title_is_one_line_and_no_part_of_the_text() {
    let page = extract("<title>\n A &amp; B\n C </title><svg><title>s</title></svg>text");
    let title = Some("A & B C".to_owned());
    assert_eq!(page, Extract { title, text: "text".into(), cut: false });
    assert_eq!(extract("<title> </title>text").title, None);
    assert_eq!(extract("<svg><title>s</title></svg>text").title, None);
}

#[test]
fn a_page_that_nests_too_deep_is_cut_and_its_start_kept() {
    let page = extract(&format!("start{}end", "<div>".repeat(200_000)));
    assert_eq!((page.text.as_str(), page.cut), ("start", true));
    let page = extract(&format!("start{}end", "<div>".repeat(400)));
    assert_eq!((page.text.as_str(), page.cut), ("start\nend", false));
}

#[test]
fn a_page_that_grows_in_parsing_is_cut() {
    let open: String = (0..300).map(|i| format!("<b id={i}>")).collect();
    let page = extract(&format!("start<p>{open}</p>{}end", "<p>x</p>".repeat(100_000)));
    assert!(page.text.starts_with("start") && page.cut);
}

#[test]
fn any_text_at_all_is_read_to_some_end() {
    let pieces = [
        "<",
        ">",
        "</",
        "<p",
        " hidden",
        "<table>",
        "<template>",
        "</template>",
        "<svg>",
        "<select>",
        "<option>",
        "&",
        "&#x",
        "\"",
        "'",
        "=",
        "<!--",
        "-->",
        "<b>",
        "</b>",
        "<a>",
        "é",
        "\u{0}",
        "<frameset>",
        "</html>",
        "<em>",
        "<title>",
        "<math><mi>",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..3_000 {
        let mut page = String::new();
        for _ in 0..30 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            page.push_str(pieces[usize::try_from(state % pieces.len() as u64).unwrap()]);
        }
        let text = extract(&page).text;
        assert_eq!(text.trim(), text, "{page}");
    }
}
