//! One binary for all integration suites.
mod adversary;
mod attribute;
mod backends;
mod between;
mod canary;
mod cases;
mod catalog;
#[cfg(target_os = "linux")]
mod confined;
mod confirmation;
mod consent;
mod conversation;
mod docs;
mod fuzz;
mod gate;
#[cfg(unix)]
mod gate_commands;
mod ground;
mod history;
mod killed;
mod layering;
mod legs;
mod mesh;
mod node;
mod pattern;
mod pipeline;
mod schema;
mod scopes;
mod seeded;
mod serve;
mod source;
mod vectors;
mod web;
mod windows;
