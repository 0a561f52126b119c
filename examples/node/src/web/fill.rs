/// A page with values in its places, each escaped for an attribute in quotes or for text. A place
/// without a value stays empty; values are not looked at again, so none can name another.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut page = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, after)| Some((before, after.split_once("}}")?)))
    {
        page.push_str(before);
        let value = values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
        value.chars().for_each(|c| escape(c, &mut page));
        rest = after;
    }
    page.push_str(rest);
    page
}

fn escape(c: char, page: &mut String) {
    match c {
        '&' => page.push_str("&amp;"),
        '<' => page.push_str("&lt;"),
        '>' => page.push_str("&gt;"),
        '"' => page.push_str("&quot;"),
        '\'' => page.push_str("&#39;"),
        c => page.push(c),
    }
}
