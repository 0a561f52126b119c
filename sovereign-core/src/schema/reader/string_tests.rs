use super::*;

/// What a run goes over.
const PLAIN: [u8; 9] = [b'a', b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff];

#[test]
fn a_run_ends_before_the_first_byte_that_matters_whatever_its_length() {
    for before in 0..100 {
        let plain: Vec<u8> = PLAIN.iter().copied().cycle().take(before).collect();
        assert_eq!(run(&plain), before);
        for end in (0..b' ').chain([b'"', b'\\']) {
            for after in [0, 1, 7, 8, 40] {
                let mut bytes = plain.clone();
                bytes.push(end);
                bytes.extend(PLAIN.iter().chain([&end]).copied().cycle().take(after));
                assert_eq!(run(&bytes), before, "{end:#x} with {after} behind it");
            }
        }
    }
}
