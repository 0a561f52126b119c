//! The daemon over real sockets.
mod access;
mod decisions;
