use super::lock;
use crate::BoxFuture;
use crate::capability::{Failure, Outbound, Reach, Request, Response};
use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, Mutex};

/// A network of fixed answers, by full address; anything else is `unreachable`. Keeps what was asked.
#[derive(Debug, Clone)]
pub struct Replies {
    table: Arc<Mutex<Table>>,
    reach: Reach,
}

#[derive(Debug, Default)]
struct Table {
    pages: HashMap<String, Response>,
    asked: Vec<Request>,
}

impl Replies {
    /// An empty network that claims this reach.
    #[must_use]
    pub fn reaching(reach: Reach) -> Self {
        Self { table: Arc::default(), reach }
    }

    /// With one more answer.
    #[must_use]
    pub fn with(self, url: &str, response: Response) -> Self {
        lock(&self.table).pages.insert(url.to_owned(), response);
        self
    }

    /// Every request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        lock(&self.table).asked.clone()
    }
}

impl Outbound for Replies {
    fn reach(&self) -> Reach {
        self.reach.clone()
    }

    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, Failure>> {
        let mut table = lock(&self.table);
        let found = table.pages.get(&request.url).cloned().ok_or(Failure::new("unreachable"));
        table.asked.push(request);
        Box::pin(ready(found))
    }
}
