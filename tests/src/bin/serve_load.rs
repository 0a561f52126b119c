//! Loads a daemon over loopback: `serve_load [CHATS]`, 200 unless said otherwise, bounded to two minutes.
use sovereign_tests::served::load;
use std::time::Duration;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let chats = std::env::args().nth(1).map_or(Ok(200), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let limit = Duration::from_secs(120);
    let figures = runtime.block_on(async { tokio::time::timeout(limit, load(chats)).await })?;
    println!("{figures:#?}");
    Ok(())
}
