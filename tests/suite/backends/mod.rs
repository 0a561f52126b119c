//! The adapters, against raw bytes on loopback and through the real executor.
mod bytes;
mod claude;
mod conformance;
mod deadline;
mod exchange;
mod fixtures;
mod hostile;
mod keyword;
mod loopback;
mod ollama;
mod ollama_stream;
mod openai;
mod ready;
mod routstr;
mod scripted;
mod wires;
