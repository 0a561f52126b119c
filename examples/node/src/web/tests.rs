use super::assets::ASSETS;
use super::{Surface, app_page, asset, csp, frame_page, login_page, standalone_page};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const SURFACES: [Surface; 3] = [Surface::Node, Surface::Frame, Surface::Standalone];

/// Ways in which text becomes markup or script, or a page reaches for something that is not its own.
const FORBIDDEN: [&str; 22] = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "setHTMLUnsafe",
    "setHTML",
    "parseHTMLUnsafe",
    "createContextualFragment",
    "DOMParser",
    "document.write",
    "srcdoc",
    "eval(",
    "Function(",
    "javascript:",
    "importScripts",
    "createPolicy",
    "WebSocket",
    "EventSource",
    "sendBeacon",
    "XMLHttpRequest",
    "serviceWorker",
    "postMessage(message, \"*\")",
    "window.open",
];

fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web/assets");
    let files = fs::read_dir(folder).expect("the assets").map(|entry| {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("text"))
    });
    files.collect()
}

#[test]
fn every_file_is_served_somewhere_and_nothing_else_is() {
    let there: BTreeSet<String> =
        files().into_iter().map(|(name, _)| name).filter(|name| !name.ends_with(".html")).collect();
    let served: BTreeSet<String> = ASSETS.iter().map(|asset| asset.name.to_owned()).collect();
    assert_eq!(there, served);
    for name in ["", "../mod.rs", "app.html", "APP.JS", "app.js/", "app.js%00"] {
        assert!(SURFACES.iter().all(|surface| asset(*surface, name).is_none()), "{name}");
    }
}

#[test]
fn text_never_becomes_markup_and_nothing_is_fetched_from_elsewhere() {
    for (name, text) in files() {
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{name} has `{word}`");
        }
        let inline = [" style=", "<style", " onclick=", " onload=", " onerror="];
        for word in inline.into_iter().filter(|_| name.ends_with(".html")) {
            assert!(!text.contains(word), "{name} has `{word}`");
        }
        for address in text.split("://").skip(1) {
            let known = ["www.w3.org/2000/svg\"", "127.0.0.1:${location.port}"];
            let line = address.lines().next().unwrap_or_default();
            assert!(known.iter().any(|known| address.starts_with(known)), "{name}: {line}");
        }
        assert!(!text.contains("url(") && !text.contains("@import"), "{name} loads something");
    }
}

#[test]
fn a_surface_gets_every_module_that_its_pages_import_and_no_other() {
    let pages = [
        (Surface::Node, format!("{}{}", login_page(), app_page("", "", ""))),
        (Surface::Frame, frame_page()),
        (Surface::Standalone, standalone_page()),
    ];
    for (surface, page) in pages {
        let mut wanted: Vec<String> = quoted(&page, "/assets/");
        let mut reached = BTreeSet::new();
        while let Some(name) = wanted.pop() {
            let file = asset(surface, &name).unwrap_or_else(|| panic!("{surface:?} lacks {name}"));
            if reached.insert(name) {
                wanted.extend(quoted(std::str::from_utf8(file.bytes).expect("text"), "from \"./"));
            }
        }
        let may: BTreeSet<String> = ASSETS
            .iter()
            .filter(|one| asset(surface, one.name).is_some())
            .map(|one| one.name.to_owned())
            .collect();
        assert_eq!(may, reached, "{surface:?}");
    }
}

/// What stands between `mark` and the next quotation mark.
fn quoted(text: &str, mark: &str) -> Vec<String> {
    let parts = text.split(mark).skip(1);
    parts.filter_map(|part| part.split_once('"').map(|(name, _)| name.to_owned())).collect()
}

#[test]
fn the_chat_gets_nothing_that_decides_or_calls_the_node() {
    for name in ["rpc.js", "decision.js", "disclosure.js", "bridge.js", "app.js", "receipts.js"] {
        assert!(asset(Surface::Node, name).is_some(), "{name}");
        assert!(asset(Surface::Frame, name).is_none(), "{name}");
        assert!(asset(Surface::Standalone, name).is_none(), "{name}");
    }
    assert!(!frame_page().contains("csrf"));
}

#[test]
fn values_in_a_page_cannot_leave_their_place() {
    let page = app_page("http://localhost:1", "\"><script>{{role}}</script>'&", "viewer");
    assert!(page.contains("content=\"&quot;&gt;&lt;script&gt;{{role}}&lt;/script&gt;&#39;&amp;\""));
    assert!(page.contains("<meta name=\"role\" content=\"viewer\">"));
}

#[test]
fn no_place_of_a_page_is_left_unfilled() {
    for page in [app_page("a", "b", "c"), frame_page(), standalone_page(), login_page().into()] {
        assert!(!page.contains("{{") && !page.contains("}}"));
    }
}

#[test]
fn each_surface_may_be_framed_by_the_node_page_or_by_nobody() {
    let [node, frame, alone] = SURFACES.map(|surface| csp(surface, 8420));
    assert!(node.contains("frame-ancestors 'none'") && alone.contains("frame-ancestors 'none'"));
    assert!(frame.contains("frame-ancestors http://127.0.0.1:8420;"));
    assert!(
        node.contains("frame-src http://localhost:8420;") && frame.contains("frame-src 'none'")
    );
    assert!(node.contains("connect-src 'self'") && frame.contains("connect-src 'none'"));
    for policy in [node, frame, alone] {
        for rule in [
            "default-src 'none'",
            "script-src 'self';",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ] {
            assert!(policy.contains(rule), "{rule}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("data:"));
    }
}
