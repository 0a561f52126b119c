use super::{BootId, NotAnId, PendingId, TurnId};

#[test]
fn an_id_is_read_as_it_is_written_and_in_no_other_spelling() {
    let id = PendingId { boot: BootId(0x0012_3456_789a), n: 40 };
    let text = id.to_string();
    assert_eq!(text, "p00123456789a-40");
    assert_eq!(text.parse(), Ok(id));
    assert_eq!(text.parse::<TurnId>(), Err(NotAnId));
    for wrong in [
        "",
        "p",
        "p-",
        "p00123456789a",
        "p00123456789a-",
        "p00123456789A-40",
        "p0012345678-40",
        "p00123456789a-040",
        "p00123456789a-+4",
        "p00123456789a-40 ",
        "P00123456789a-40",
        "p00123456789a-99999999999999999999",
    ] {
        assert_eq!(wrong.parse::<PendingId>(), Err(NotAnId), "{wrong}");
    }
}
