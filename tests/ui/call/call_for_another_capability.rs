use sovereign_core::prelude::*;

/// Says one.
#[capability(name = "a.one", side_effect = read_only, network = local, category = system)]
struct One;

impl Run for One {
    type State = ();
    type Output = u8;
    async fn run(self, call: Call<'_, Self>) -> Result<u8, Failure> { Two.run(call).await }
}

/// Says two.
#[capability(name = "a.two", side_effect = read_only, network = external, category = system)]
struct Two;

impl Run for Two {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> { Ok(2) }
}

fn main() {}
