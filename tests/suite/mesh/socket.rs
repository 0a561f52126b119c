//! Who may connect.
use super::*;
use sovereign_node::mesh::SocketError;
use std::fs::{self, Permissions};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

#[tokio::test]
async fn socket_is_closed_to_others() {
    let (station, _) = Station::parroting(config()).await;
    let mode = fs::symlink_metadata(station.path()).unwrap().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn directory_that_others_may_enter_is_refused() {
    let home = private();
    for mode in [0o755, 0o710, 0o701, 0o770] {
        fs::set_permissions(home.path(), Permissions::from_mode(mode)).unwrap();
        let error = Socket::bind(&home.path().join("mesh.sock")).await.unwrap_err();
        assert!(matches!(error, SocketError::Directory(_)), "{mode:o}: {error}");
        assert!(!home.path().join("mesh.sock").exists());
    }
}

#[tokio::test]
async fn dead_socket_is_replaced_and_a_living_one_is_not() {
    let home = private();
    let path = home.path().join("mesh.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let dead = fs::symlink_metadata(&path).unwrap().ino();
    let socket = Socket::bind(&path).await.unwrap();
    let living = fs::symlink_metadata(&path).unwrap();
    assert_eq!(living.mode() & 0o777, 0o600);
    let error = Socket::bind(&path).await.unwrap_err();
    assert!(matches!(error, SocketError::InUse { .. }), "{error}");
    assert_eq!(fs::symlink_metadata(&path).unwrap().ino(), living.ino(), "after {dead}");
    drop(socket);
    assert!(!path.exists());
}

#[tokio::test]
async fn whatever_is_no_socket_stays_where_it_is() {
    let home = private();
    let (path, kept) = (home.path().join("mesh.sock"), home.path().join("kept"));
    fs::write(&kept, "kept").unwrap();
    fs::write(&path, "kept").unwrap();
    let error = Socket::bind(&path).await.unwrap_err();
    assert!(matches!(error, SocketError::NotASocket { .. }), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    fs::remove_file(&path).unwrap();
    // a link is not followed, wherever it leads
    let elsewhere = home.path().join("elsewhere.sock");
    drop(std::os::unix::net::UnixListener::bind(&elsewhere).unwrap());
    for target in [&kept, &elsewhere] {
        std::os::unix::fs::symlink(target, &path).unwrap();
        let error = Socket::bind(&path).await.unwrap_err();
        assert!(matches!(error, SocketError::NotASocket { .. }), "{error}");
        assert!(target.exists());
        fs::remove_file(&path).unwrap();
    }
}

#[tokio::test]
async fn path_that_is_too_long_is_an_error() {
    let home = private();
    let error = Socket::bind(&home.path().join("x".repeat(120))).await.unwrap_err();
    assert!(matches!(error, SocketError::System { .. }), "{error}");
}

#[tokio::test]
async fn socket_of_a_successor_is_not_taken_away() {
    let home = private();
    let path = home.path().join("mesh.sock");
    let first = Socket::bind(&path).await.unwrap();
    fs::remove_file(&path).unwrap();
    let _second = Socket::bind(&path).await.unwrap();
    drop(first);
    assert!(path.exists());
}

/// Needs root, to become somebody else; without it `only_the_nodes_own_user_and_root_may_speak_for_peers`
/// holds the rule alone.
#[tokio::test]
async fn process_of_another_user_is_sent_away() {
    let (station, parrot) = Station::parroting(config()).await;
    if fs::metadata(station.home.path()).unwrap().uid() != 0 {
        return;
    }
    // as if somebody had opened directory and socket by mistake
    fs::set_permissions(station.home.path(), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(station.path(), Permissions::from_mode(0o666)).unwrap();
    let script = r#"
        use IO::Socket::UNIX;
        $SIG{PIPE} = 'IGNORE';
        my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "no socket: $!";
        syswrite $s, qq({"peer":"!a11ce","text":"hello"}\n);
        my $answer = <$s>;
        print defined $answer ? "answered $answer" : "sent away";
    "#;
    for (user, wanted) in [(65_534, "sent away"), (0, "answered ")] {
        let mut perl = Command::new("perl");
        perl.args(["-e", script]).arg(station.path()).uid(user).gid(user).current_dir("/");
        let perl = perl.stderr(Stdio::inherit()).stdout(Stdio::piped()).spawn().expect("perl");
        let output = tokio::task::spawn_blocking(|| perl.wait_with_output()).await.unwrap();
        let said = String::from_utf8(output.unwrap().stdout).unwrap();
        assert!(said.starts_with(wanted), "user {user}: {said}");
    }
    assert_eq!(parrot.seen().len(), 1);
}
