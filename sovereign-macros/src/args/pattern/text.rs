//! Tree to the normal form: no shorthand classes, ranges sorted, nothing escaped that need not be.
use super::Ast;
use super::ranges::Ranges;

/// How tightly the surroundings bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Around {
    Group,
    Sequence,
    Repetition,
}

pub(super) fn anchored(ast: &Ast) -> String {
    let mut out = String::from("^");
    // A choice needs its group here: `^a|b$` means something else.
    write(ast, Around::Sequence, &mut out);
    out.push('$');
    out
}

fn write(ast: &Ast, around: Around, out: &mut String) {
    match ast {
        Ast::Class(ranges) => class(ranges, out),
        Ast::Sequence(all) => grouped(around > Around::Sequence, out, |out| {
            for part in all {
                write(part, Around::Sequence, out);
            }
        }),
        Ast::Choice(all) => grouped(around > Around::Group, out, |out| {
            for (i, part) in all.iter().enumerate() {
                if i > 0 {
                    out.push('|');
                }
                write(part, Around::Group, out);
            }
        }),
        Ast::Repeat(part, min, max) => grouped(around > Around::Sequence, out, |out| {
            write(part, Around::Repetition, out);
            match (min, max) {
                (0, Some(1)) => out.push('?'),
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (min, Some(max)) if min == max => out.push_str(&format!("{{{min}}}")),
                (min, Some(max)) => out.push_str(&format!("{{{min},{max}}}")),
                (min, None) => out.push_str(&format!("{{{min},}}")),
            }
        }),
    }
}

fn grouped(group: bool, out: &mut String, inside: impl FnOnce(&mut String)) {
    if group {
        out.push('(');
    }
    inside(out);
    if group {
        out.push(')');
    }
}

fn class(ranges: &Ranges, out: &mut String) {
    if let Some(only) = ranges.single() {
        return character(only, "\\^$.|?*+()[]{}/", out);
    }
    out.push('[');
    let others = ranges.is_open().then(|| ranges.others()).flatten();
    if others.is_some() {
        out.push('^');
    }
    for (low, high) in others.as_ref().unwrap_or(ranges).pairs() {
        let ends =
            [*low, *high].map(|end| char::from_u32(end).unwrap_or(char::REPLACEMENT_CHARACTER));
        let [low_char, high_char] = ends;
        character(low_char, "\\]^-[", out);
        if high > low {
            if *high > low.saturating_add(1) {
                out.push('-');
            }
            character(high_char, "\\]^-[", out);
        }
    }
    out.push(']');
}

fn character(c: char, special: &str, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        c => {
            if special.contains(c) {
                out.push('\\');
            }
            out.push(c);
        }
    }
}
