//! The chat on its own, for work on its page: words to one model and back, and nothing else.
//!
//! A program of its own, never part of [`serve`](crate::serve): it installs no capability, has no
//! executor, no session and no history. The key stays on this side. Whoever asks has to show the token
//! of this launch, and can use only what its caps leave.
mod caps;
mod chat;
mod http;
mod proxy;
#[cfg(test)]
mod tests;

pub(crate) use caps::Caps;
pub(crate) use proxy::Proxy;
