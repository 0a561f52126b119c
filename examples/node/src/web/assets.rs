use super::Surface;

/// One file that a page may ask for.
#[derive(Debug)]
pub(crate) struct Asset {
    pub(crate) name: &'static str,
    pub(crate) content_type: &'static str,
    pub(crate) bytes: &'static [u8],
    surfaces: &'static [Surface],
}

const NODE: &[Surface] = &[Surface::Node];
const CHAT: &[Surface] = &[Surface::Frame, Surface::Standalone];
const EVERY: &[Surface] = &[Surface::Node, Surface::Frame, Surface::Standalone];

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

macro_rules! assets {
    ($($name:literal $content_type:ident $surfaces:ident;)+) => {
        /// Everything that is served as it stands. What is not in here is not there.
        pub(super) static ASSETS: &[Asset] = &[$(Asset {
            name: $name,
            content_type: $content_type,
            bytes: include_bytes!(concat!("assets/", $name)),
            surfaces: $surfaces,
        }),+];
    };
}

assets! {
    "account.js" SCRIPT NODE;
    "app.css" STYLE NODE;
    "app.js" SCRIPT NODE;
    "audit.js" SCRIPT NODE;
    "backends.js" SCRIPT NODE;
    "base.css" STYLE EVERY;
    "bridge.js" SCRIPT NODE;
    "capabilities.js" SCRIPT NODE;
    "chart.js" SCRIPT NODE;
    "chat.js" SCRIPT NODE;
    "decision.js" SCRIPT NODE;
    "disclosure.js" SCRIPT NODE;
    "dom.js" SCRIPT EVERY;
    "embedded.js" SCRIPT CHAT;
    "frame.css" STYLE CHAT;
    "frame.js" SCRIPT CHAT;
    "history.js" SCRIPT NODE;
    "icon.svg" PICTURE EVERY;
    "login.css" STYLE NODE;
    "login.js" SCRIPT NODE;
    "page.js" SCRIPT NODE;
    "policy.js" SCRIPT NODE;
    "receipts.js" SCRIPT NODE;
    "rpc.js" SCRIPT NODE;
    "standalone.js" SCRIPT CHAT;
    "theme.js" SCRIPT EVERY;
    "visible.js" SCRIPT EVERY;
    "words.js" SCRIPT NODE;
}

/// The file of that name, when this surface may have it.
pub(crate) fn asset(surface: Surface, name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name && asset.surfaces.contains(&surface))
}
