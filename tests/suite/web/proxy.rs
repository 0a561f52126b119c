//! A proxy in the environment would see every address and could answer in anyone's place.

use super::*;
use std::process::Command;

const TARGET: &str = "SOVEREIGN_TEST_PAGE";

/// Runs itself once more with a proxy in its environment, because a process cannot safely change its
/// own.
#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_in_the_environment_is_not_used() {
    if let Ok(page_address) = std::env::var(TARGET) {
        let reach = Reach::only([page_address.parse().unwrap()]);
        let url = json!({"url": format!("http://{page_address}/")});
        let outcome = lab(&reach, &Names::all_at(&[])).call::<Fetch>(url).approved().await;
        assert_eq!(page(&outcome)["text"], "direct");
        return;
    }
    let direct = Server::page("text/plain", "direct").await;
    let proxy = Server::page("text/plain", "proxied").await;
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "web::proxy::a_proxy_in_the_environment_is_not_used"]);
    again.env(TARGET, direct.address.to_string()).env_remove("no_proxy").env_remove("NO_PROXY");
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"] {
        again.env(name, proxy.url(""));
    }
    let done = tokio::task::spawn_blocking(move || again.output().unwrap()).await.unwrap();
    assert_eq!(proxy.heard(), [""; 0]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert_eq!(direct.heard().len(), 1, "{}", String::from_utf8_lossy(&done.stdout));
}
