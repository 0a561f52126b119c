use crate::aiui_dev::{Caps, Proxy};
use crate::cli::AiuiDev;
use crate::config::Config;
use crate::data_dir::{DataDir, DataDirError};
use crate::exit::{Exit, NodeError};
use crate::legs::legs;
use crate::signals::Signals;
use crate::terminal::print;
use sovereign_backends::Keyword;
use sovereign_backends::routstr::Purse;
use sovereign_core::backend::{Backend, BackendIdentity, Locality};
use sovereign_core::clock::{Clock, SystemClock};
use sovereign_core::entropy::SystemEntropy;
use sovereign_core::files;
use sovereign_core::policy::RemoteInference;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Text in both directions that one launch passes on.
const MAX_BYTES: u64 = 16 << 20;

/// Serves the chat alone until a signal comes.
pub(crate) async fn aiui_dev(
    data: &DataDir,
    config: &Config,
    asked: &AiuiDev,
) -> Result<Exit, NodeError> {
    let mut signals = Signals::listen().map_err(NodeError::System)?;
    let time = Duration::from_secs(u64::from(asked.minutes).saturating_mul(60));
    let caps = Caps { requests: asked.requests, bytes: MAX_BYTES, time };
    let clock = Arc::new(SystemClock::default());
    let backend = backend(data, config, asked.backend.as_deref())?;
    let BackendIdentity { id, locality, .. } = backend.identity();
    if locality == Locality::Remote {
        let (_, policy) = data.authority()?;
        if policy.remote_inference() == RemoteInference::Never {
            let why = "this policy lets nothing go to a model off this device (`policy`: never)";
            return Err(NodeError::Usage(why.to_owned()));
        }
    }
    let proxy = Proxy::bind(asked.port, backend, caps, clock, &SystemEntropy).await?;
    let (minutes, requests) = (asked.minutes, asked.requests);
    let text = format!(
        "For development alone: the chat without a node, answered by {id}, for {minutes} minutes and \
         {requests} messages.\n"
    );
    print(&text).map_err(NodeError::Output)?;
    let kept = invite(data, &proxy.link())?;
    tokio::select! {
        () = proxy.run() => {}
        _ = signals.next() => {}
    }
    if let Some(path) = kept {
        files::remove_private(&path).map_err(DataDirError::from)?;
    }
    Ok(Exit::Answered)
}

/// Whoever has the link may use the key: it goes to a person at a terminal, else into a file that only
/// this user may read.
fn invite(data: &DataDir, link: &str) -> Result<Option<PathBuf>, NodeError> {
    if std::io::stdout().is_terminal() {
        print(&format!("\n  {link}\n\n")).map_err(NodeError::Output)?;
        return Ok(None);
    }
    files::create_private_dir(&data.secrets()).map_err(DataDirError::from)?;
    let path = data.dev_link();
    files::write_private(&path, format!("{link}\n").as_bytes()).map_err(DataDirError::from)?;
    print(&format!("The link is in `{}`\n", path.display())).map_err(NodeError::Output)?;
    Ok(Some(path))
}

/// The configured backend of that name, or the first; one without a model has nothing to say here.
fn backend(
    data: &DataDir,
    config: &Config,
    named: Option<&str>,
) -> Result<Arc<dyn Backend>, NodeError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let legs = legs(&config.backends, &clock, &|| Purse::open(&data.purse()))?;
    let with_model =
        legs.into_iter().filter(|leg| leg.is_wanted()).map(|leg| leg.backend as Arc<dyn Backend>);
    let mut fitting = with_model.filter(|backend| {
        let id = backend.identity().id;
        id != Keyword::ID && named.is_none_or(|named| named == id)
    });
    let none = "no such backend with a model is configured: `sovereign-node backends` lists them";
    fitting.next().ok_or_else(|| NodeError::Usage(none.to_owned()))
}
