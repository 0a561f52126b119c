mod body;
mod reach;
mod request;
mod server;
mod tls;

use super::{HttpOutbound, Resolver};
use server::Server;
use sovereign_core::BoxFuture;
use sovereign_core::capability::{Failure, Outbound as _, Reach, Request, Response};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

/// Answers from a list, one after the other, and keeps what it was asked.
#[derive(Default)]
struct Names {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    fn answering(answers: &[&[&str]]) -> Arc<Self> {
        let parsed = |of: &&[&str]| of.iter().map(|a| a.parse().unwrap()).collect();
        let answers = answers.iter().rev().map(parsed).collect();
        Arc::new(Self { answers: Mutex::new(answers), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolver for Names {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let answer = self.answers.lock().unwrap().pop();
        let found = answer.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
        Box::pin(
            async move { Ok(found?.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()) },
        )
    }
}

/// Nothing in these tests may leave the device, so no name is answered unless a test says how.
fn to(server: &Server) -> HttpOutbound {
    HttpOutbound::with_resolver(Reach::only([server.address]), Names::answering(&[])).unwrap()
}

async fn get(answer: &[u8]) -> Result<Response, Failure> {
    get_with(answer, |request| request).await
}

async fn get_with(
    answer: &[u8],
    change: impl FnOnce(Request) -> Request,
) -> Result<Response, Failure> {
    let server = Server::answering(answer).await;
    to(&server).send(change(Request::get(server.url("/")))).await
}

fn code(answered: Result<Response, Failure>) -> &'static str {
    answered.unwrap_err().code()
}
