use sovereign_core::prelude::*;

/// Says one.
struct One;

impl Run for One {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> {
        Ok(1)
    }
}

fn main() {}
