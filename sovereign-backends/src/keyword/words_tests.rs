use super::{Question, alike};

#[test]
fn function_words_carry_nothing() {
    let question = Question::read("How much SPACE is left, please? And how much space?");
    assert_eq!(question.words, ["space", "left"]);
    assert!(Question::read("what is it?").words.is_empty());
}

#[test]
fn an_address_is_taken_as_written_without_the_sentence_around_it() {
    for (text, address) in [
        ("fetch https://example.com/", "https://example.com/"),
        ("what does (https://example.com/a_(b)?c=d#e) say", "https://example.com/a_(b)?c=d#e"),
        ("Fetch HTTPS://Example.com/Path.", "HTTPS://Example.com/Path"),
        ("see <ftp://x/y>, please", "ftp://x/y"),
    ] {
        assert_eq!(Question::read(text).addresses, [address], "{text}");
    }
    for text in ["fetch ://", "fetch https://", "fetch example.com", "a b://..."] {
        assert_eq!(Question::read(text).addresses, [""; 0], "{text}");
    }
}

#[test]
fn endings_do_not_matter_and_stems_do() {
    for (a, b) in [
        ("disk", "disks"),
        ("health", "healthy"),
        ("fetch", "fetches"),
        ("fetching", "fetch"),
        ("entry", "entries"),
        ("status", "status"),
    ] {
        assert!(alike(a, b) && alike(b, a), "{a} {b}");
    }
    for (a, b) in
        [("read", "ready"), ("left", "lefty"), ("status", "statue"), ("house", "household")]
    {
        assert!(!alike(a, b), "{a} {b}");
    }
}

#[test]
fn a_negation_is_noticed() {
    assert!(Question::read("Don't fetch https://example.com/").negated);
    assert!(Question::read("do NOT clear it").negated);
    assert!(!Question::read("is nothing wrong with the knot?").negated);
}
