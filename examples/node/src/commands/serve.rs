use crate::assemble::Node;
use crate::cli::Serve;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::mesh::{Mesh, Socket};
use crate::serve::Daemon;
use crate::signals::Signals;
use crate::terminal::{note, print};
use sovereign_core::display::Visible;
use std::io::IsTerminal as _;
use tokio::sync::{oneshot, watch};

/// Serves until a signal comes; a second one hurries the end.
pub(crate) async fn serve(
    data: &DataDir,
    config: Config,
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
    let node = Node::open(data.clone(), config)?;
    let link = link(data, node.mesh()).await?;
    let daemon = Daemon::bind(node.into_parts()?, asked.port, Some(asked.listen)).await?;
    print(&format!("The node is at {}\n", daemon.url())).map_err(NodeError::Output)?;
    if let Some(link) = daemon.first_login()? {
        invite(data, link)?;
    }
    let (stop, stopped) = watch::channel(());
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
    let stopping = |mut stopped: watch::Receiver<()>| async move { drop(stopped.changed().await) };
    let hearing = link.map(|(mesh, socket)| mesh.serve(socket, stopping(stopped.clone())));
    let hearing = hearing.map(tokio::spawn);
    let serving = async {
        daemon.run(stopping(stopped), async { drop(hurried.await) }).await;
        if let Some(hearing) = hearing {
            drop(hearing.await);
        }
    };
    tokio::select! {
        () = serving => {}
        _ = ended => {}
    }
    Ok(Exit::Answered)
}

/// Takes the socket of the mesh side, where there is one.
async fn link(data: &DataDir, mesh: Option<Mesh>) -> Result<Option<(Mesh, Socket)>, NodeError> {
    let Some(mesh) = mesh else { return Ok(None) };
    let path = data.mesh_socket();
    let socket = Socket::bind(&path).await?;
    let shown = Visible(&path.to_string_lossy()).to_string();
    print(&format!("Peers on a radio link are heard at `{shown}`\n")).map_err(NodeError::Output)?;
    Ok(Some((mesh, socket)))
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
    let path = data.login_link();
    link.keep_in(&path).map_err(crate::serve::ServeError::from)?;
    print(&format!(
        "Nobody has a password yet. A link that lets one in, once, within ten minutes, is in `{}`\n",
        path.display()
    ))
    .map_err(NodeError::Output)
}
