//! Text to tree. What engines read differently is refused with the way to say it.
use super::Ast;
use super::ranges::Ranges;

type Parsed<T> = Result<T, String>;

/// A pattern with its anchors.
pub(super) fn whole(written: &str) -> Parsed<Ast> {
    let chars: Vec<char> = written.chars().collect();
    let ['^', inside @ .., '$'] = chars.as_slice() else { return Err(unanchored()) };
    // `\$` is a dollar and no end
    if inside.iter().rev().take_while(|c| **c == '\\').count() % 2 == 1 {
        return Err(unanchored());
    }
    let mut cursor = Cursor { rest: inside };
    let ast = cursor.choice()?;
    match cursor.peek() {
        None => Ok(ast),
        Some(_) => {
            Err("a `)` in this pattern closes nothing: write `\\)` for the character".into())
        }
    }
}

fn unanchored() -> String {
    "a pattern starts with `^` and ends with `$`: without them it would match anywhere inside the text".into()
}

struct Cursor<'a> {
    rest: &'a [char],
}

impl Cursor<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.first().copied()
    }

    fn take(&mut self) -> Option<char> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn eat(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.take();
        }
        there
    }

    fn choice(&mut self) -> Parsed<Ast> {
        let first = self.sequence()?;
        let mut all = vec![first];
        while self.eat('|') {
            all.push(self.sequence()?);
        }
        Ok(one_or(all, Ast::Choice))
    }

    fn sequence(&mut self) -> Parsed<Ast> {
        let mut all = Vec::new();
        while let Some(c) = self.peek() {
            if matches!(c, '|' | ')') {
                break;
            }
            let atom = self.atom()?;
            all.push(self.repeated(atom)?);
        }
        if all.is_empty() {
            return Err("a part of this pattern matches nothing but the empty text: write what may be left out as `(…)?`".into());
        }
        Ok(one_or(all, Ast::Sequence))
    }

    fn repeated(&mut self, atom: Ast) -> Parsed<Ast> {
        let (min, max) = match self.peek() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => self.counts()?,
            _ => return Ok(atom),
        };
        self.take();
        if let Some(next @ ('?' | '+' | '*' | '{')) = self.peek() {
            return Err(format!(
                "`{next}` after a repetition is lazy, possessive or stacked, which is not portable: the whole text is matched either way, so leave it out, or group with `(…)`"
            ));
        }
        // once is no repetition
        Ok(if (min, max) == (1, Some(1)) { atom } else { Ast::Repeat(Box::new(atom), min, max) })
    }

    /// `{m}`, `{m,}` or `{m,n}`, up to its last brace.
    fn counts(&mut self) -> Parsed<(u32, Option<u32>)> {
        let end = self.rest.iter().position(|c| *c == '}');
        let end =
            end.ok_or("a `{` in this pattern is not closed: write `\\{` for the character")?;
        let (body, rest) = self.rest.split_at(end);
        let body: String = body.iter().skip(1).collect();
        self.rest = rest;
        let number = |text: &str| {
            text.parse::<u32>().map_err(|_| {
                format!("`{{{body}}}` is not a repetition: write `{{2}}`, `{{2,}}` or `{{2,5}}`")
            })
        };
        let (min, max) = match body.split_once(',') {
            None => {
                let count = number(&body)?;
                (count, Some(count))
            }
            Some((min, "")) => (number(min)?, None),
            Some((min, max)) => (number(min)?, Some(number(max)?)),
        };
        if max.is_some_and(|max| max < min) {
            return Err(format!("`{{{body}}}` is reversed: the second count is below the first"));
        }
        if max == Some(0) {
            return Err(format!("`{{{body}}}` repeats nothing: leave the part out"));
        }
        Ok((min, max))
    }

    fn atom(&mut self) -> Parsed<Ast> {
        let class = match self.take() {
            Some('(') => return self.group(),
            Some('[') => self.class()?,
            Some('\\') => self.escape()?,
            Some('.') => {
                return Err("`.` differs between engines: write the characters as a class, such as `[a-z0-9 ]`, or `\\.` for the dot".into());
            }
            Some(anchor @ ('^' | '$')) => {
                return Err(format!(
                    "`{anchor}` is the pattern's own anchor and cannot stand inside: write `\\{anchor}` for the character"
                ));
            }
            Some(bare @ ('*' | '+' | '?' | '{' | '}' | ']')) => {
                return Err(format!(
                    "`{bare}` repeats or closes nothing here: write `\\{bare}` for the character"
                ));
            }
            Some(c) => Ranges::one(c),
            None => return Err("this pattern ends too early".into()),
        };
        Ok(Ast::Class(class))
    }

    /// After `(`.
    fn group(&mut self) -> Parsed<Ast> {
        if self.eat('?') {
            match (self.take(), self.peek()) {
                (Some(':'), _) => {}
                (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => {
                    return Err(
                        "lookaround is not portable and not linear: say what is allowed instead"
                            .into(),
                    );
                }
                _ => {
                    return Err("a group with a name or a flag is not portable: write `(…)`".into());
                }
            }
        }
        let inside = self.choice()?;
        if self.eat(')') {
            return Ok(inside);
        }
        Err("a `(` in this pattern is not closed: write `\\(` for the character".into())
    }

    /// After a backslash.
    fn escape(&mut self) -> Parsed<Ranges> {
        let c = self.take().ok_or("this pattern ends in a backslash")?;
        match c {
            'd' => Ok(Ranges::digits()),
            'w' => Ok(Ranges::word()),
            'n' => Ok(Ranges::one('\n')),
            't' => Ok(Ranges::one('\t')),
            'r' => Ok(Ranges::one('\r')),
            '1'..='9' | 'k' => Err(format!(
                "`\\{c}` refers back, which no linear engine can match: spell the part out"
            )),
            's' | 'S' | 'D' | 'W' | 'b' | 'B' | 'p' | 'P' | 'u' | 'x' | 'c' | '0' => Err(format!(
                "`\\{c}` differs between engines: write the characters as a class, such as `[a-z0-9 ]`"
            )),
            c if c.is_ascii_punctuation() => Ok(Ranges::one(c)),
            c => Err(format!("`\\{c}` is not an escape: write `{c}`")),
        }
    }

    /// After `[`.
    fn class(&mut self) -> Parsed<Ranges> {
        const OPEN: &str = "a `[` in this pattern is not closed: write `\\[` for the character";
        let negated = self.eat('^');
        let mut parts = Vec::new();
        loop {
            let low = match self.take().ok_or(OPEN)? {
                ']' => break,
                '[' => return Err("`[` inside a class is not portable: write `\\[`".into()),
                '\\' => self.escape()?,
                c => Ranges::one(c),
            };
            if !matches!(self.rest, ['-', next, ..] if *next != ']') {
                parts.extend_from_slice(low.pairs());
                continue;
            }
            self.take();
            let high = match self.take().ok_or(OPEN)? {
                '\\' => self.escape()?,
                '[' => return Err("`[` inside a class is not portable: write `\\[`".into()),
                c => Ranges::one(c),
            };
            let (Some(low), Some(high)) = (low.single(), high.single()) else {
                return Err("a range in a class goes from one character to another: `a-z`".into());
            };
            if high < low {
                return Err(format!("`{low}-{high}` is reversed: write `{high}-{low}`"));
            }
            parts.push((low.into(), high.into()));
        }
        let class = Ranges::all(parts).ok_or("a class without characters matches nothing")?;
        if negated {
            return class.others().ok_or_else(|| "this class excludes every character".into());
        }
        Ok(class)
    }
}

fn one_or(mut all: Vec<Ast>, many: impl FnOnce(Vec<Ast>) -> Ast) -> Ast {
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            all.extend(last);
            many(all)
        }
    }
}
