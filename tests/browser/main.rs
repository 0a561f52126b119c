//! The web pages in a real browser. `tests/run` installs Chromium and starts these; an ordinary
//! `cargo test` leaves them out.

mod chat;
mod decision;
mod desk;
mod foreign;
mod frame;
mod hostile;
mod login;
mod model;
mod node;
mod pages;
mod recorder;
mod site;
mod standalone;
mod tabs;
mod webdriver;
