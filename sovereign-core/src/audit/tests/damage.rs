use super::*;
use std::fs;

fn eight() -> Home {
    let records = Records::new();
    let begun = records.call(Mark::Begin);
    let ended = CallRecord { mark: Mark::End(OutcomeKind::Executed), ..begun };
    let waiting = records.call(Mark::AwaitingConfirmation);
    let denied = CallRecord { mark: Mark::End(OutcomeKind::Denied), ..waiting };
    Home::written([
        records.ended(),
        records.event(Administrative::Login),
        Record::Call(begun),
        Record::Call(ended),
        Record::Call(waiting),
        records.event(Administrative::Logout),
        Record::Call(denied),
        records.ended(),
    ])
}

fn verified_head(home: &Home) -> Head {
    verify(&home.dir()).unwrap().head.unwrap()
}

/// The line, from 1, that byte `at` is in.
fn line_of(lines: &[String], at: usize) -> u64 {
    let mut end = 0;
    let line = lines.iter().position(|line| {
        end += line.len();
        at < end
    });
    line.unwrap() as u64 + 1
}

#[test]
fn untouched_log_verifies() {
    let home = eight();
    let verified = verify(&home.dir()).unwrap();
    let head = verified.head.unwrap();
    assert_eq!((verified.records, head.n, verified.unfinished), (8, 8, false));
    assert_eq!(head.offset, fs::metadata(home.log()).unwrap().len());
}

/// Must-beat 20.
#[test]
fn tamper_is_detected() {
    let home = eight();
    let good = fs::read(home.log()).unwrap();
    let lines = home.lines();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        Home::overwrite(&home.log(), &bad);
        assert_eq!(home.damage().record, line_of(&lines, at), "byte {at}");
    }
    Home::overwrite(&home.log(), &good);
    verify(&home.dir()).unwrap();
}

#[test]
fn every_bit_of_a_short_log_is_sealed() {
    let home = Home::written([Records::new().event(Administrative::Login)]);
    let good = fs::read(home.log()).unwrap();
    for at in 0..good.len() {
        for bit in 1..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            Home::overwrite(&home.log(), &bad);
            assert_eq!(home.damage().record, 1, "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn every_byte_of_the_head_is_checked_in_both_slots() {
    let home = eight();
    let good = fs::read(home.head()).unwrap();
    let second = 1 << 16;
    let len = good.len() - second;
    assert_eq!(good[..len], good[second..], "a closed log has the same head twice");
    for at in 0..len {
        for bit in [0, 3, 7] {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            Home::overwrite(&home.head(), &bad);
            let verified = verify(&home.dir()).unwrap();
            assert_eq!((verified.head.unwrap().n, verified.unfinished), (8, true), "byte {at}");
            bad[second + at] ^= 1 << bit;
            Home::overwrite(&home.head(), &bad);
            assert_eq!(home.damage().what, "the head is no head", "byte {at}, bit {bit}");
        }
    }
    Home::overwrite(&home.head(), &good[..good.len() - 1]);
    assert!(verify(&home.dir()).unwrap().unfinished);
    Home::overwrite(&home.head(), &[]);
    assert_eq!(home.damage().what, "the head is no head");
}

#[test]
fn removed_line_is_named() {
    let home = eight();
    let lines = home.lines();
    for gone in 0..8 {
        let mut left = lines.clone();
        left.remove(gone);
        Home::overwrite(&home.log(), left.concat().as_bytes());
        assert_eq!(home.damage().record, gone as u64 + 1);
    }
}

#[test]
fn swapped_lines_are_named() {
    let home = eight();
    let lines = home.lines();
    for first in 0..7 {
        let mut swapped = lines.clone();
        swapped.swap(first, first + 1);
        Home::overwrite(&home.log(), swapped.concat().as_bytes());
        assert_eq!(home.damage().record, first as u64 + 1);
    }
}

#[test]
fn duplicated_line_is_named() {
    let home = eight();
    let lines = home.lines();
    for twice in 0..8 {
        let mut longer = lines.clone();
        longer.insert(twice, lines[twice].clone());
        Home::overwrite(&home.log(), longer.concat().as_bytes());
        assert_eq!(home.damage().record, twice as u64 + 2);
    }
}

#[test]
fn log_cut_at_any_byte_is_named() {
    let home = eight();
    let good = fs::read(home.log()).unwrap();
    let lines = home.lines();
    for left in 0..good.len() {
        Home::overwrite(&home.log(), &good[..left]);
        assert_eq!(home.damage().record, line_of(&lines, left), "{left} bytes left");
    }
    fs::remove_file(home.log()).unwrap();
    assert_eq!(home.damage().record, 1);
}

#[test]
fn missing_head_is_damage() {
    let home = eight();
    fs::remove_file(home.head()).unwrap();
    let damage = home.damage();
    assert_eq!((damage.record, damage.file), (8, home.head()));
    assert_eq!(damage.what, "the head is missing");
}

#[test]
fn head_of_an_earlier_moment_is_no_damage_but_a_forged_one_is() {
    let home = eight();
    let later = verified_head(&home);
    let line = home.lines().remove(0);
    let mut chain = Chain::new();
    let first = chain.check(line.trim_end().as_bytes()).unwrap();
    chain.advance(&first, 1, 0, line.len());
    Home::overwrite(&home.head(), &slots(&chain.head(), &chain.head()));
    let verified = verify(&home.dir()).unwrap();
    assert_eq!((verified.records, verified.head.unwrap().n), (8, 1));
    let open = OpenCall { mark: "begin".to_owned(), file: later.file.clone(), offset: 0 };
    let forged = Head { open: [("i1".to_owned(), open)].into(), ..later };
    Home::overwrite(&home.head(), &slots(&forged, &forged));
    assert_eq!(home.damage().record, 8);
}

/// A line that was changed and sealed anew still breaks the chain behind it.
#[test]
fn resealed_line_is_found_at_the_next_one() {
    let home = eight();
    let mut lines = home.lines();
    let chain = Chain::new();
    let first = chain.check(lines[0].trim_end().as_bytes()).unwrap();
    let StoredEntry::Call(call) = first.entry else { panic!("a call") };
    let changed = StoredCall { argument_bytes: 1, ..call };
    let (line, _) = chain.seal(first.at, StoredEntry::Call(changed)).unwrap();
    lines[0] = String::from_utf8(line).unwrap();
    Home::overwrite(&home.log(), lines.concat().as_bytes());
    assert_eq!(home.damage().record, 2);
}

#[test]
fn resealed_line_with_a_skipped_number_is_found() {
    let home = eight();
    let mut chain = Chain::new();
    for line in home.lines() {
        let record = chain.check(line.trim_end().as_bytes()).unwrap();
        let offset = chain.offset;
        chain.advance(&record, 1, offset, line.len());
    }
    let event = StoredEvent { event: "login".into(), boot: None, details: Default::default() };
    let mut ahead = chain.clone();
    ahead.n += 1;
    let (line, _) = ahead.seal(String::new(), StoredEntry::Administrative(event)).unwrap();
    Home::overwrite(&home.log(), &[home.lines().concat().as_bytes(), &line].concat());
    let damage = home.damage();
    assert_eq!((damage.record, damage.what.as_str()), (9, "the record has another number"));
}

#[test]
fn damage_says_where_it_is() {
    let home = eight();
    let lines = home.lines();
    let mut bad = fs::read(home.log()).unwrap();
    let at = lines[0].len() + lines[1].len();
    bad[at + 10] = b'!';
    Home::overwrite(&home.log(), &bad);
    assert_eq!(
        verify(&home.dir()).unwrap_err().to_string(),
        format!(
            "the audit log is damaged at record 3: `{}`, byte {at}: the record does not match its hash",
            home.log().display()
        )
    );
}

#[test]
fn line_without_an_end_does_not_fill_the_memory() {
    let home = eight();
    let mut bytes = fs::read(home.log()).unwrap();
    bytes.extend(std::iter::repeat_n(b'x', 1 << 20));
    Home::overwrite(&home.log(), &bytes);
    let damage = home.damage();
    assert_eq!((damage.record, damage.what.as_str()), (9, "the record does not end"));
}
