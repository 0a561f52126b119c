use crate::{Health, Volume};
use std::io;

/// Where the figures come from. Both methods may block; the capabilities call them off the runtime.
pub trait SystemSource: Send + Sync + 'static {
    /// Space on the volume that holds the program's data.
    ///
    /// # Errors
    /// When the volume cannot be looked at.
    fn volume(&self) -> io::Result<Volume>;

    /// How the machine is.
    ///
    /// # Errors
    /// When not even the volume can be looked at.
    fn health(&self) -> io::Result<Health>;
}
