//! Tree to program, after Thompson: a set of steps is advanced by each character.
use super::ranges::Ranges;
use super::{Ast, MAX_STEPS};

/// One step; the steps are numbered from 0, and a match is at the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Step {
    /// Takes one of these characters and goes on to the next step.
    Class(Ranges),
    /// Goes on at both.
    Split(u8, u8),
    /// Goes on there.
    Jump(u8),
    /// All has been matched.
    Match,
}

pub(super) fn compile(ast: &Ast) -> Result<Vec<Step>, String> {
    let mut out = Program { steps: Vec::new() };
    out.emit(ast)?;
    out.steps.push(Step::Match);
    Ok(out.steps)
}

struct Program {
    steps: Vec<Step>,
}

impl Program {
    /// The number that the next step gets.
    fn next(&self) -> u8 {
        // `push` keeps the count far below
        u8::try_from(self.steps.len()).unwrap_or(u8::MAX)
    }

    fn push(&mut self, step: Step) -> Result<u8, String> {
        if self.steps.len() >= MAX_STEPS {
            return Err(format!(
                "this pattern needs more than {MAX_STEPS} steps: make its repetitions smaller and bound the text with `length`"
            ));
        }
        let at = self.next();
        self.steps.push(step);
        Ok(at)
    }

    fn set(&mut self, at: u8, step: Step) {
        if let Some(slot) = self.steps.get_mut(usize::from(at)) {
            *slot = step;
        }
    }

    fn emit(&mut self, ast: &Ast) -> Result<(), String> {
        match ast {
            Ast::Class(ranges) => self.push(Step::Class(ranges.clone())).map(drop),
            Ast::Sequence(all) => all.iter().try_for_each(|part| self.emit(part)),
            Ast::Choice(all) => self.choice(all),
            Ast::Repeat(part, min, max) => self.repeat(part, *min, *max),
        }
    }

    fn choice(&mut self, all: &[Ast]) -> Result<(), String> {
        let Some((last, others)) = all.split_last() else { return Ok(()) };
        let mut ends = Vec::new();
        for part in others {
            let split = self.push(Step::Match)?;
            self.emit(part)?;
            ends.push(self.push(Step::Match)?);
            self.set(split, Step::Split(split.saturating_add(1), self.next()));
        }
        self.emit(last)?;
        for end in ends {
            self.set(end, Step::Jump(self.next()));
        }
        Ok(())
    }

    fn repeat(&mut self, part: &Ast, min: u32, max: Option<u32>) -> Result<(), String> {
        for _ in 0..min {
            self.emit(part)?;
        }
        let Some(max) = max else {
            let split = self.push(Step::Match)?;
            self.emit(part)?;
            self.push(Step::Jump(split))?;
            self.set(split, Step::Split(split.saturating_add(1), self.next()));
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in min..max {
            splits.push(self.push(Step::Match)?);
            self.emit(part)?;
        }
        for split in splits {
            self.set(split, Step::Split(split.saturating_add(1), self.next()));
        }
        Ok(())
    }
}

pub(super) fn admits(steps: &[Step], text: &str) -> bool {
    let mut now = vec![false; steps.len()];
    enter(steps, 0, &mut now);
    for c in text.chars() {
        let mut next = vec![false; steps.len()];
        for (at, (step, here)) in steps.iter().zip(&now).enumerate() {
            if let (Step::Class(ranges), true) = (step, here)
                && ranges.has(c)
            {
                enter(steps, at.saturating_add(1), &mut next);
            }
        }
        now = next;
    }
    now.last().is_some_and(|end| *end)
}

fn enter(steps: &[Step], at: usize, set: &mut [bool]) {
    let (Some(step), Some(here)) = (steps.get(at), set.get_mut(at)) else { return };
    if std::mem::replace(here, true) {
        return;
    }
    match step {
        Step::Split(a, b) => {
            enter(steps, usize::from(*a), set);
            enter(steps, usize::from(*b), set);
        }
        Step::Jump(to) => enter(steps, usize::from(*to), set),
        Step::Class(_) | Step::Match => {}
    }
}
