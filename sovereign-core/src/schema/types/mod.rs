//! The types of std and of the field's standard crates, each with its schema and its decoder side
//! by side.
mod collections;
mod containers;
mod formats;
mod numbers;
mod scalars;
pub(crate) mod spell;
mod tuples;

#[cfg(test)]
mod tests;
