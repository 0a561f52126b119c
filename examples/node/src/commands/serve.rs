use crate::assemble::Node;
use crate::cli::Serve;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::serve::Daemon;
use crate::signals::Signals;
use crate::terminal::{note, print};
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use tokio::sync::oneshot;

/// Serves until a signal comes; a second one hurries the end.
pub(crate) async fn serve(
    data: &DataDir,
    config: &Config,
    asked: &Serve,
) -> Result<Exit, NodeError> {
    if !asked.listen.is_loopback() && !asked.allow_unencrypted_network {
        return Err(NodeError::Usage(format!(
            "`{}` is no loopback address, and nothing is encrypted on the way there: put a forwarder \
             in front that ends on this machine, or add `--allow-unencrypted-network`",
            asked.listen
        )));
    }
    let mut signals = Signals::listen().map_err(NodeError::System)?;
    let parts = Node::parts(data, config)?;
    let daemon = Daemon::bind(parts, SocketAddr::new(asked.listen, asked.port)).await?;
    print(&format!("The node is at {}\n", daemon.url())).map_err(NodeError::Output)?;
    if let Some(link) = daemon.first_login()? {
        invite(data, link)?;
    }
    let (stop, stopped) = oneshot::channel::<()>();
    let (hurry, hurried) = oneshot::channel::<()>();
    let ended = async {
        let first = signals.next().await;
        note("stopping; once more to stop at once");
        drop(stop);
        signals.next().await;
        drop(hurry);
        Err::<(), _>(first)
    };
    // a channel whose other end is dropped has nothing more to say, which is what is waited for
    let serving = daemon.run(async { drop(stopped.await) }, async { drop(hurried.await) });
    tokio::select! {
        () = serving => {}
        _ = ended => {}
    }
    Ok(Exit::Answered)
}

/// The first way in: to a person at a terminal, else into a file that only this user may read.
fn invite(data: &DataDir, link: crate::serve::LoginLink) -> Result<(), NodeError> {
    if std::io::stdout().is_terminal() {
        let text = format!(
            "Nobody has a password yet. This lets `{}` in, once, within ten minutes:\n\n  {}\n\n",
            link.user(),
            link.reveal()
        );
        return print(&text).map_err(NodeError::Output);
    }
    let path = data.secrets().join("login-token");
    link.keep_in(&path).map_err(crate::serve::ServeError::from)?;
    print(&format!(
        "Nobody has a password yet. A link that lets one in, once, within ten minutes, is in `{}`\n",
        path.display()
    ))
    .map_err(NodeError::Output)
}
