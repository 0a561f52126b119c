//! The daemon over real sockets.
mod access;
mod decisions;
mod hostile;
mod load;
mod login;
mod pages;
mod perimeter;
mod sessions;
mod stopping;
mod turns;
