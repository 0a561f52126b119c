//! Looks at everything that a node needs, one line each, and changes nothing.
mod checks;
mod clock;

use super::backends::{Ability, fresh};
use crate::cli::ModelFlags;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError, told};
use crate::terminal::{Style, json, named, print};
use serde::Serialize;
use sovereign_backends::Keyword;
use sovereign_core::display::Prose;
use sovereign_core::policy::RemoteInference;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warn,
    Fail,
}

/// One line.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Line {
    check: &'static str,
    state: State,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_do: Option<String>,
}

impl Line {
    fn ok(check: &'static str, what: impl Into<String>) -> Self {
        Self { check, state: State::Ok, what: what.into(), to_do: None }
    }

    fn warn(check: &'static str, what: impl Into<String>) -> Self {
        Self { check, state: State::Warn, what: what.into(), to_do: None }
    }

    fn fail(check: &'static str, what: impl Into<String>) -> Self {
        Self { check, state: State::Fail, what: what.into(), to_do: None }
    }

    fn do_this(self, to_do: impl Into<String>) -> Self {
        Self { to_do: Some(to_do.into()), ..self }
    }
}

pub(crate) async fn doctor(
    place: PathBuf,
    config: Option<&Path>,
    as_json: bool,
) -> Result<Exit, NodeError> {
    let lines = examine(place, config).await;
    let text = if as_json { json(&lines) } else { Ok(shown(&lines, Style::of_stdout())) };
    text.and_then(|text| print(&text)).map_err(NodeError::Output)?;
    let failed = lines.iter().any(|line| line.state == State::Fail);
    Ok(if failed { Exit::Internal } else { Exit::Answered })
}

async fn examine(place: PathBuf, config: Option<&Path>) -> Vec<Line> {
    let (directory, data) = checks::directory(place);
    let mut lines = vec![directory];
    let Some(data) = data else { return lines };
    lines.push(checks::space(data.path()));
    if !checks::is_used(&data) {
        lines.push(Line::ok("first use", "nothing is in it yet: any command makes what is needed"));
    } else {
        lines.extend(checks::private(&data));
        lines.push(checks::grants(&data));
        lines.extend(checks::policy(&data));
        lines.push(checks::audit(&data));
        lines.push(checks::writer(&data));
        lines.push(checks::history(&data));
    }
    lines.push(clock::clock(&data));
    match Config::load(config, &data, &ModelFlags::default()) {
        Err(error) => lines.push(Line::fail("config", told(&error)).do_this("mend that line")),
        Ok(config) => {
            lines.push(Line::ok("config", "reads as it should"));
            lines.extend(checks::keys(&config));
            lines.extend(checks::purse(&data, &config));
            lines.extend(checks::confinement(&config));
            lines.extend(checks::mesh(&data, &config));
            lines.extend(backends(&data, &config, data.files().1.remote_inference()).await);
        }
    }
    lines
}

/// A backend that is not there is no failure: the one without a model always answers.
async fn backends(data: &DataDir, config: &Config, remote: RemoteInference) -> Vec<Line> {
    let seen = match fresh(data, config, remote).await {
        Ok(seen) => seen,
        Err(error) => return vec![Line::fail("backends", told(&error))],
    };
    let mut lines = Vec::new();
    let mut models = false;
    for one in seen.into_iter().filter(|one| one.identity.id != Keyword::ID) {
        let usable = matches!(one.state, Ability::Ready | Ability::Asks);
        models |= usable;
        let reason = one.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let what = format!("{}{reason}", named(&one.identity));
        let state = if usable { State::Ok } else { State::Warn };
        lines.push(Line { check: "backend", state, what, to_do: one.to_do });
    }
    if !models {
        let what = "no language model can answer: your words are matched with the catalog";
        lines.push(Line::warn("backends", what).do_this("one of the above"));
    }
    lines
}

fn shown(lines: &[Line], style: Style) -> String {
    let mut text = String::new();
    for line in lines {
        let state = match line.state {
            State::Ok => "ok  ",
            State::Warn => "warn",
            State::Fail => "FAIL",
        };
        // writing to a String cannot fail
        let _ = writeln!(text, "{}  {}: {}", style.bold(state), line.check, Prose(&line.what));
        if let Some(to_do) = &line.to_do {
            let _ = writeln!(text, "      to do: {}", Prose(to_do));
        }
    }
    text
}
