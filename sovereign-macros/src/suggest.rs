//! "Did you mean": the closest of the known words.

/// The closest known word, when it is close enough to be a slip of the finger.
pub(crate) fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = plain(word);
    known
        .iter()
        .map(|k| (distance(&word, &plain(k)), *k))
        .min_by_key(|(d, _)| *d)
        // A third of the letters may be wrong, at most two: `a` is not a slip for `name`.
        .filter(|(d, k)| *d <= 2 && d.saturating_mul(3) <= k.len())
        .map(|(_, k)| k)
}

/// `; did you mean …?`, or nothing.
pub(crate) fn hint(word: &str, known: &[&str]) -> String {
    closest(word, known).map(|k| format!("; did you mean `{k}`?")).unwrap_or_default()
}

/// `a`, `b` and `c`, each in backticks.
pub(crate) fn list(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Separators and case are what people get wrong most: they do not count.
fn plain(word: &str) -> String {
    word.replace(['_', '-', ' '], "").to_lowercase()
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i.saturating_add(1);
        let mut next = vec![left];
        for (y, up) in b.iter().zip(row.iter().skip(1)) {
            let change = diagonal.saturating_add(usize::from(x != *y));
            left = change.min(left.saturating_add(1)).min(up.saturating_add(1));
            diagonal = *up;
            next.push(left);
        }
        row = next;
    }
    row.pop().unwrap_or(0)
}

#[cfg(test)]
#[path = "suggest_tests.rs"]
mod tests;
