//! The node as a black box: the program is spawned, its output read, and nothing of it is linked.
mod answers;
mod decisions;
mod directory;
mod fetch;
mod home;
mod log;
mod model;
mod terminal;
