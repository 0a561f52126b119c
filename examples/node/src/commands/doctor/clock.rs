use super::Line;
use crate::data_dir::DataDir;
use jiff::Timestamp;
use sovereign_core::audit;
use sovereign_core::clock::{Clock as _, SystemClock};

/// 2026-01-01: this program is not older than that, so no right clock shows less.
const EARLIEST: i64 = 1_767_225_600;
/// So much a clock may be set back without a word.
const SLACK_SECONDS: i64 = 120;

pub(super) fn clock(data: &DataDir) -> Line {
    let last = audit::tail(&data.audit(), 1).ok().and_then(|records| {
        let record = records.into_iter().next()?;
        record.at.parse::<Timestamp>().ok()
    });
    let now = Timestamp::try_from(SystemClock::default().wall()).unwrap_or_default();
    judge(now, last)
}

fn judge(now: Timestamp, last: Option<Timestamp>) -> Line {
    let check = "clock";
    let set = "set it, and let it be kept right (`timedatectl set-ntp true`)";
    if now.as_second() < EARLIEST {
        return Line::fail(check, format!("it shows {now}, which is past")).do_this(set);
    }
    match last {
        Some(last) if last.as_second() > now.as_second().saturating_add(SLACK_SECONDS) => {
            let what = format!("it shows {now}, but the last record was written at {last}");
            Line::warn(check, what).do_this(set)
        }
        _ => Line::ok(check, now.strftime("%Y-%m-%d %H:%M UTC").to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::judge;

    #[test]
    fn clock_that_is_past_fails_and_one_that_went_back_is_warned_of() {
        let at = |text: &str| text.parse().unwrap();
        let state = |now, last: Option<&str>| judge(at(now), last.map(at)).state;
        assert_eq!(state("1970-01-01T00:05:00Z", None), State::Fail);
        assert_eq!(state("2025-12-31T23:59:59Z", None), State::Fail);
        assert_eq!(state("2026-06-01T00:00:00Z", None), State::Ok);
        assert_eq!(state("2026-06-01T00:00:00Z", Some("2026-06-01T00:01:59Z")), State::Ok);
        assert_eq!(state("2026-06-01T00:00:00Z", Some("2026-06-01T00:03:00Z")), State::Warn);
        assert_eq!(state("2026-06-01T00:00:00Z", Some("2026-05-01T00:00:00Z")), State::Ok);
    }
}
