//! An answer whose head has come and whose body is on its way.
use super::{MAX_ERROR_BYTES, MAX_REPLY_BYTES, MAX_STREAM_BYTES, broken};
use crate::base_url::BaseUrl;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use sovereign_core::backend::{BackendError, DeltaSink, FailureClass};

/// What came back: any status but a redirect, and a whole body within the limits.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Of an error body, no more than [`MAX_ERROR_BYTES`].
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// One reply that is put together from a stream. What it gathers becomes a turn only after the end
/// that its wire prescribes.
pub(crate) trait Assembly: Send {
    /// Takes the next bytes, wherever they are cut; prose goes to the sink as it comes.
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn DeltaSink) -> Result<(), BackendError>;
    /// The end has come: nothing after it is read.
    fn is_complete(&self) -> bool;
}

/// The answer's head, and a body to be read once: whole or as a stream.
#[derive(Debug)]
pub(crate) struct Incoming {
    status: u16,
    content_type: String,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Network(Response, BaseUrl),
    #[cfg(feature = "testing")]
    Script(super::script::Pieces),
}

impl Incoming {
    pub(super) fn network(response: Response, base: BaseUrl) -> Self {
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok());
        let names = ["request-id", "x-request-id"];
        if let Some(id) = names.iter().find_map(|name| response.headers().get(*name)) {
            // what its operator asks for when something went wrong there
            tracing::debug!(server = %base, request_id = ?id, status = %response.status(), "answered");
        }
        Self {
            status: response.status().as_u16(),
            content_type: content_type.unwrap_or_default().to_ascii_lowercase(),
            body: Body::Network(response, base),
        }
    }

    #[cfg(feature = "testing")]
    pub(super) const fn script(
        status: u16,
        content_type: String,
        pieces: super::script::Pieces,
    ) -> Self {
        Self { status, content_type, body: Body::Script(pieces) }
    }

    pub(crate) const fn status(&self) -> u16 {
        self.status
    }

    /// A header's value; an answer from a script has none.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        match &self.body {
            Body::Network(response, _) => response.headers().get(name)?.to_str().ok(),
            #[cfg(feature = "testing")]
            Body::Script(_) => None,
        }
    }

    /// An answer that redirects is none.
    pub(crate) fn not_redirected(self) -> Result<Self, BackendError> {
        if (300..400).contains(&self.status) {
            let reason = format!("it answered with redirect {}, and none is followed", self.status);
            return Err(BackendError::new(FailureClass::Protocol, reason));
        }
        Ok(self)
    }

    /// Whether it is a reply in that stream format; an error report never is.
    pub(crate) fn is_stream(&self, media_type: &str) -> bool {
        let said = self.content_type.split(';').next().unwrap_or_default().trim();
        (200..300).contains(&self.status) && said == media_type
    }

    /// All of the body.
    pub(crate) async fn whole(mut self) -> Result<Reply, BackendError> {
        let is_success = (200..300).contains(&self.status);
        let limit = if is_success { MAX_REPLY_BYTES } else { MAX_ERROR_BYTES };
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            let room = limit.saturating_sub(body.len());
            if chunk.len() <= room {
                body.extend_from_slice(&chunk);
            } else if is_success {
                return Err(too_long(limit));
            } else {
                body.extend(chunk.iter().take(room));
                break;
            }
        }
        Ok(Reply { status: self.status, body })
    }

    /// The body piece by piece, until the assembly is complete or the body ends. Whether it ended too
    /// early is the assembly's to say.
    pub(crate) async fn into_assembly(
        mut self,
        assembly: &mut dyn Assembly,
        sink: &mut dyn DeltaSink,
    ) -> Result<(), BackendError> {
        let mut room = MAX_STREAM_BYTES;
        while !assembly.is_complete() {
            let Some(chunk) = self.chunk().await? else { break };
            room = room.checked_sub(chunk.len()).ok_or_else(|| too_long(MAX_STREAM_BYTES))?;
            assembly.feed(&chunk, sink)?;
        }
        Ok(())
    }

    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, BackendError> {
        match &mut self.body {
            Body::Network(response, base) => {
                let chunk = response.chunk().await.map_err(|error| broken(base, error))?;
                Ok(chunk.map(Into::into))
            }
            #[cfg(feature = "testing")]
            Body::Script(pieces) => pieces.next().await,
        }
    }
}

fn too_long(limit: usize) -> BackendError {
    let reason = format!("its reply is longer than {limit} bytes");
    BackendError::new(FailureClass::Protocol, reason)
}

/// A stream that stopped before its end.
pub(crate) fn unfinished() -> BackendError {
    BackendError::new(FailureClass::Protocol, "its reply is not complete")
}
