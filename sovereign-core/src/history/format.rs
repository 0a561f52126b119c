//! The bytes of a transcript file: one line that seals the rest, then the transcript as JSON.
use super::Transcript;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// What is read at most; a file that we wrote is far shorter.
pub(super) const MAX_FILE_BYTES: u64 = 8 << 20;

/// **Shape**: `{"transcript": 1, "bytes": n, "sha256": "…"}` over everything behind its line break.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seal {
    transcript: u32,
    bytes: usize,
    sha256: String,
}

const VERSION: u32 = 1;

/// Why bytes are no transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoTranscript {
    #[error("its first line is no seal")]
    Seal,
    #[error("it was written in a newer format")]
    Version,
    #[error("it is cut off or has grown")]
    Length,
    #[error("its bytes do not match their seal")]
    Hash,
    #[error("what is sealed is no transcript")]
    Content,
}

pub(super) fn encode(transcript: &Transcript) -> Vec<u8> {
    // INVARIANT: a transcript is structs of words, numbers and JSON values.
    let body = serde_json::to_vec(transcript).unwrap_or_default();
    let seal = Seal { transcript: VERSION, bytes: body.len(), sha256: hash(&body) };
    let mut bytes = serde_json::to_vec(&seal).unwrap_or_default();
    bytes.push(b'\n');
    bytes.extend(body);
    bytes
}

/// How many bytes [`encode`] would give, nearly: without the seal.
pub(super) fn size(transcript: &Transcript) -> usize {
    struct Counted(usize);
    impl std::io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    // a counter takes everything
    let _counted = serde_json::to_writer(&mut counted, transcript);
    counted.0
}

pub(super) fn decode(bytes: &[u8]) -> Result<Transcript, NoTranscript> {
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or(NoTranscript::Seal)?;
    let (line, rest) = bytes.split_at_checked(end).ok_or(NoTranscript::Seal)?;
    let seal: Seal = serde_json::from_slice(line).map_err(|_| NoTranscript::Seal)?;
    let body = rest.get(1..).unwrap_or_default();
    if seal.transcript != VERSION {
        return Err(NoTranscript::Version);
    }
    if seal.bytes != body.len() {
        return Err(NoTranscript::Length);
    }
    if seal.sha256 != hash(body) {
        return Err(NoTranscript::Hash);
    }
    serde_json::from_slice(body).map_err(|_| NoTranscript::Content)
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // writing to a String cannot fail
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
