//! The node as a black box: the program is spawned, its output read, and nothing of it is linked.
mod answers;
mod backends;
mod decisions;
mod directory;
mod doctor;
mod fetch;
mod home;
mod keys;
mod log;
mod mesh;
mod model;
mod read_only;
mod remembered;
mod reset;
mod shell;
mod switches;
mod terminal;
