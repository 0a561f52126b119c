use super::*;
use crate::schema::fixtures::Scalars;
use crate::schema::reader::tests::{at, read, scalars, wrong};

#[test]
fn integers_follow_the_exact_value_and_not_its_spelling_or_its_nearest_float() {
    for (text, want) in [
        ("7", Ok(7)),
        ("10.0", Ok(10)),
        ("1e2", Ok(100)),
        ("2.50e2", Ok(250)),
        ("2550e-1", Ok(255)),
        ("-0", Ok(0)),
        ("-0.0", Ok(0)),
        ("0e99999999999999999999", Ok(0)),
        ("0.000e-5", Ok(0)),
        ("256", Err(code::RANGE)),
        ("-1", Err(code::RANGE)),
        ("1e3", Err(code::RANGE)),
        ("1e300", Err(code::RANGE)),
        ("123456789012345678901234567890123456789012345678901234567890", Err(code::RANGE)),
        ("10.5", Err(code::TYPE)),
        ("0.5", Err(code::TYPE)),
        ("1e-1", Err(code::TYPE)),
        ("1e-99999999999999999999", Err(code::TYPE)),
        ("1.00000000000000000000000000000001", Err(code::TYPE)),
        ("\"7\"", Err(code::TYPE)),
        ("true", Err(code::TYPE)),
        ("null", Err(code::TYPE)),
        ("[7]", Err(code::TYPE)),
        ("{}", Err(code::TYPE)),
    ] {
        let json = scalars("small", text);
        match want {
            Ok(want) => assert_eq!(read::<Scalars>(json.as_bytes()).expect(text).small, want),
            Err(code) => assert_eq!(wrong::<Scalars>(&json), at(&[("/small", code)]), "{text}"),
        }
    }
}

#[test]
fn sixty_four_bit_integers_keep_every_digit() {
    for (text, want) in [
        ("9223372036854775807", Some(i64::MAX)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("9223372036854775807.0", Some(i64::MAX)),
        ("9007199254740993.0", Some(9_007_199_254_740_993)),
        ("9.223372036854775807e18", Some(i64::MAX)),
        ("9223372036854775808", None),
        ("-9223372036854775809", None),
        ("9223372036854775808.0", None),
        ("18446744073709551616", None),
    ] {
        let json = scalars("large", text);
        let got = read::<Scalars>(json.as_bytes()).ok().map(|s| s.large);
        assert_eq!(got, want, "{text}");
    }
    assert_eq!(read::<u64>(b"18446744073709551615"), Ok(u64::MAX));
    assert!(read::<u64>(b"18446744073709551616").is_err());
    assert_eq!(read::<usize>(usize::MAX.to_string().as_bytes()), Ok(usize::MAX));
    assert_eq!(read::<isize>(isize::MIN.to_string().as_bytes()), Ok(isize::MIN));
}

#[test]
fn exact_agrees_with_plain_arithmetic_for_every_short_decimal() {
    for mantissa in 0i128..2_000 {
        for places in 0u32..5 {
            for exponent in -6i32..7 {
                let digits = format!("{mantissa:0>width$}", width = places as usize + 1);
                let (whole, fraction) = digits.split_at(digits.len() - places as usize);
                let dot = if places > 0 { "." } else { "" };
                let token = format!("-{whole}{dot}{fraction}e{exponent}");
                let shift = exponent - i32::try_from(places).expect("small");
                let scale = 10i128.pow(shift.unsigned_abs());
                let want = if shift >= 0 {
                    Exact::Whole(-mantissa * scale)
                } else if mantissa % scale == 0 {
                    Exact::Whole(-mantissa / scale)
                } else {
                    Exact::Fraction
                };
                assert_eq!(exact(&token), want, "{token}");
            }
        }
    }
    assert_eq!(exact("1e38"), Exact::Huge);
    assert_eq!(exact("99999999999999999999999999999999999999"), Exact::Whole(10i128.pow(38) - 1));
    assert_eq!(exact(&format!("1{}e-50", "0".repeat(53))), Exact::Whole(1_000));
}

#[test]
fn floats_are_finite_and_keep_their_sign_and_precision() {
    for (text, want) in [
        ("3", 3.0),
        ("-0", -0.0),
        ("0.1", 0.1),
        ("1e308", 1e308),
        ("9007199254740993", 9_007_199_254_740_992.0),
        ("18446744073709551616", 18_446_744_073_709_551_616.0),
        ("1e-400", 0.0),
    ] {
        let got = read::<f64>(text.as_bytes()).expect(text);
        assert_eq!(got.to_bits(), f64::to_bits(want), "{text}");
    }
    for text in ["1e309", "-1e309", "NaN", "Infinity", "null", "\"1\""] {
        assert!(read::<f64>(text.as_bytes()).is_err(), "{text}");
    }
    assert_eq!(read::<f32>(b"0.1"), Ok(0.1));
    assert_eq!(read::<f32>(b"3.4028234663852886e38"), Ok(f32::MAX));
    assert!(read::<f32>(b"3.4028235e38").is_err());
}
