use super::*;

#[test]
fn line_holds_the_fixed_fields_in_order_and_its_hash_last() {
    let records = Records::new();
    let home = Home::written([records.ended()]);
    let zeros = "0".repeat(64);
    let body = format!(
        "{{\"n\":1,\"prev\":\"{zeros}\",\"at\":\"2026-01-02T03:04:05.678Z\",\"kind\":\"call\",\
         \"id\":\"iabababababab-1\",\"turn\":\"tabababababab-2\",\"caller\":\"operator\",\
         \"capability\":\"web.fetch\",\"version\":2,\"side_effect\":\"read_only\",\
         \"network\":\"external\",\"point\":\"execute\",\"mark\":\"end\",\"outcome\":\"executed\",\
         \"argument_bytes\":24,\"result_bytes\":0,\"took_us\":1500"
    );
    let hash: String = sha2::Digest::finalize(sha2::Digest::chain_update(
        <sha2::Sha256 as sha2::Digest>::new(),
        &body,
    ))
    .iter()
    .map(|byte| format!("{byte:02x}"))
    .collect();
    assert_eq!(home.lines(), [format!("{body},\"hash\":\"{hash}\"}}\n")]);
}

#[test]
fn read_back_record_spells_the_same_line() {
    let records = Records::new();
    let home = Home::written([
        records.ended(),
        records.event(Administrative::GrantAdded {
            scope: ScopeKind::Mesh,
            category: "custom:home".to_owned(),
        }),
    ]);
    let spelled: Vec<String> = LogReader::open(&home.dir())
        .unwrap()
        .map(|record| format!("{}\n", serde_json::to_string(&record.unwrap()).unwrap()))
        .collect();
    assert_eq!(spelled, home.lines());
}

#[test]
fn each_record_names_the_hash_of_the_one_before() {
    let records = Records::new();
    let home = Home::written((0..4).map(|_| records.ended()));
    let read = tail(&home.dir(), 9).unwrap();
    let numbers: Vec<u64> = read.iter().map(|record| record.n).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    for pair in read.windows(2) {
        assert_eq!(pair[1].prev, pair[0].hash);
    }
}

/// Whatever a model names, the log keeps its length (must-beat 22).
#[test]
fn model_text_never_in_audit() {
    let records = Records::new();
    let mut call = records.call(Mark::End(OutcomeKind::Refused));
    call.named = Named::Unregistered { name_bytes: 38_000 };
    call.point = Point::At(Stage::Resolve);
    call.code = Some("unknown_capability");
    let home = Home::written([Record::Call(call)]);
    let StoredEntry::Call(stored) = tail(&home.dir(), 1).unwrap().remove(0).entry else {
        panic!("a call was written");
    };
    assert_eq!(stored.named(), "unregistered");
    assert_eq!(stored.name_bytes, Some(38_000));
    assert_eq!((stored.version, stored.side_effect, stored.network), (None, None, None));
}

#[test]
fn line_breaks_in_a_field_forge_no_line_and_are_not_kept() {
    let records = Records::new();
    let hostile = [
        "a\nb",
        "a\r\nb",
        "a\u{85}b",
        "a\u{2028}b",
        "a\u{2029}b",
        "\u{202e}b",
        "a\"},{\"n\":1",
        "A sentence.",
        "\u{0}",
        "é",
    ];
    let event = |text: &&str| {
        records.event(Administrative::GrantRemoved {
            scope: ScopeKind::Operator,
            category: (*text).to_owned(),
        })
    };
    let home = Home::written(hostile.iter().map(event));
    let bytes = std::fs::read(home.log()).unwrap();
    assert!(bytes.iter().all(|b| matches!(b, b' '..=b'~' | b'\n')));
    assert_eq!(home.lines().len(), hostile.len());
    assert_eq!(verify(&home.dir()).unwrap().records, 10);
    for (record, text) in tail(&home.dir(), 99).unwrap().iter().zip(hostile) {
        let StoredEntry::Administrative(event) = &record.entry else { panic!("an event") };
        assert_eq!(event.details["category"], format!("unregistered:{}", text.len()));
    }
}

#[test]
fn long_text_in_a_field_is_not_kept() {
    let records = Records::new();
    let event =
        Administrative::PolicyChanged { capability: "a".repeat(38_000), version: 1, enabled: true };
    let home = Home::written([records.event(event)]);
    assert!(home.lines()[0].len() < 500);
    verify(&home.dir()).unwrap();
}

#[test]
fn every_event_is_written_with_its_name() {
    let records = Records::new();
    let events = [
        Administrative::GrantAdded { scope: ScopeKind::Mesh, category: "wallet".to_owned() },
        Administrative::GrantRemoved { scope: ScopeKind::Mesh, category: "wallet".to_owned() },
        Administrative::PolicyChanged {
            capability: "web.fetch".to_owned(),
            version: 1,
            enabled: true,
        },
        Administrative::ChangeFailed { file: "grants" },
        Administrative::TailQuarantined { bytes: 3 },
        Administrative::RemoteSend {
            backend: "claude",
            bytes: 9000,
            turn: records.call(Mark::Begin).turn,
            decision: Some(records.call(Mark::Begin).id),
        },
        Administrative::Voided { decisions: 2 },
        Administrative::Login,
        Administrative::LoginFailed,
        Administrative::Logout,
    ];
    let home = Home::written(events.into_iter().map(|event| records.event(event)));
    let counts = stats(&home.dir()).unwrap().events;
    let expected = [
        "change_failed",
        "grant_added",
        "grant_removed",
        "login",
        "login_failed",
        "logout",
        "policy_changed",
        "remote_send",
        "tail_quarantined",
        "voided",
    ];
    assert_eq!(counts.keys().collect::<Vec<_>>(), expected);
    let line = &home.lines()[5];
    let whole = "\"event\":\"remote_send\",\"boot\":\"abababababab\",\"backend\":\"claude\",\
                 \"bytes\":9000,\"decision\":\"iabababababab-";
    assert!(line.contains(whole) && line.contains("\"turn\":\"tabababababab-"), "{line}");
}

#[test]
fn times_outside_the_calendar_are_its_ends() {
    let records = Records::new();
    let mut late = records.call(Mark::Begin);
    late.at = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 50);
    let mut early = records.call(Mark::Begin);
    early.at = SystemTime::UNIX_EPOCH - Duration::from_secs(1 << 50);
    late.took = Duration::MAX;
    let home = Home::written([Record::Call(late), Record::Call(early)]);
    let read = tail(&home.dir(), 9).unwrap();
    assert!(read[0].at.starts_with("9999-12-30"), "{}", read[0].at);
    assert!(read[1].at.starts_with("-009999-01-02"), "{}", read[1].at);
}

#[test]
fn files_and_directory_are_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let records = Records::new();
    let home = Home::written([records.ended()]);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(home.dir()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{path:?}");
        names.push(path.file_name().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, ["000001.jsonl", "head", "lock"]);
    assert_eq!(mode(&home.dir()), 0o700);
}

#[tokio::test]
async fn log_that_could_not_be_opened_takes_nothing_and_says_why() {
    let closed = Closed::because(&"the disk is gone");
    let told = |result: Result<(), AuditError>| result.unwrap_err().to_string();
    for error in [
        told(closed.append(Records::new().ended())),
        told(closed.ready()),
        told(closed.durable().await),
    ] {
        assert!(error.contains("the disk is gone"), "{error}");
    }
}
