//! `web.fetch` through the executor and the real HTTP client, against a server on this device.

mod answer;
mod proxy;
mod refusal;
mod server;

use serde_json::{Value, json};
use server::Server;
use sovereign_backends::outbound::{HttpOutbound, Resolver};
use sovereign_core::BoxFuture;
use sovereign_core::capability::Reach;
use sovereign_core::executor::Outcome;
use sovereign_core::testing::Harness;
use sovereign_web::{Fetch, WEB, Web};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// Gives every name the same addresses and keeps what it was asked.
struct Names {
    addresses: Vec<SocketAddr>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    fn all_at(addresses: &[SocketAddr]) -> Arc<Self> {
        Arc::new(Self { addresses: addresses.to_vec(), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, host: &'a str, _: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        self.asked.lock().unwrap().push(host.to_owned());
        Box::pin(async { Ok(self.addresses.clone()) })
    }
}

fn lab(reach: &Reach, names: &Arc<Names>) -> Harness {
    let out = HttpOutbound::with_resolver(reach.clone(), names.clone()).unwrap();
    let web = Arc::new(Web::new(reach.clone()));
    Harness::install_reaching(&WEB, web, Arc::new(out)).build()
}

/// One approved fetch of the server's page `path`.
async fn fetch(server: &Server, path: &str) -> Outcome {
    let lab = lab(&Reach::only([server.address]), &Names::all_at(&[]));
    lab.call::<Fetch>(json!({"url": server.url(path)})).approved().await
}

fn page(outcome: &Outcome) -> Value {
    serde_json::from_str(outcome.result().unwrap_or_else(|| panic!("{outcome:?}"))).unwrap()
}
