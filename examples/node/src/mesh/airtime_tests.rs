use super::*;

fn whole(text: &str) -> Fitted {
    Fitted { text: text.to_owned(), is_cut: false }
}

#[test]
fn answer_that_fits_is_whole_on_one_line() {
    assert_eq!(
        fit("[ran a.b]", "two\nlines\r\n\tand  a tab", 64),
        whole("[ran a.b] two lines and a tab")
    );
    assert_eq!(fit("[x]", "\n \u{2028}", 64), whole("[x]"));
    // exactly the budget is not cut
    assert_eq!(fit("[x]", "12345", 9), whole("[x] 12345"));
    assert_eq!(fit("[x]", "12345\n\n", 9), whole("[x] 12345"));
}

#[test]
fn cut_answer_stays_within_its_budget_and_says_so() {
    for budget in 16..80 {
        let fitted = fit("[x]", &"wörter 日本 \u{202e}".repeat(20), budget);
        assert!(fitted.is_cut && fitted.text.len() <= budget, "{budget}: {}", fitted.text);
        assert!(fitted.text.ends_with(MARKER), "{}", fitted.text);
        // no half escape: what is left of the escapes is whole
        let rest = fitted.text.replace("\\u{202e}", "");
        assert!(!rest.contains('\\') && !rest.contains("u{"), "{budget}: {rest}");
    }
}

#[test]
fn controls_of_a_terminal_are_shown_and_not_sent() {
    let fitted = fit("[x]", "a\u{1b}[2Kb\u{7}\u{200b}c\u{0}", 200);
    assert_eq!(fitted, whole(r"[x] a\u{1b}[2Kb\u{7}\u{200b}c\u{0}"));
}
