use sovereign_core::prelude::*;

struct Place;

/// A page.
#[derive(Arg)]
struct Page<T> {
    /// What.
    what: Vec<T>,
}

/// Some.
#[derive(Arg)]
struct Some {
    /// Places.
    page: Page<Place>,
}

fn main() {}
