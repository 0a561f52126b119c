//! What a model holds, less what its reply may need.
use sovereign_core::backend::Window;

/// A reply as long as the cap allows, and a quarter of a small window at most: one that needs more is cut
/// off, and executes nothing.
pub(crate) fn window(tokens: u32, max_tokens: u32) -> Window {
    let size = |tokens: u32| usize::try_from(tokens).unwrap_or(usize::MAX);
    Window { tokens: size(tokens), reply: size(max_tokens.min(tokens / 4)) }
}

#[cfg(test)]
mod tests {
    use super::window;

    #[test]
    fn a_reply_takes_a_quarter_of_a_small_window_at_most() {
        let of = |tokens| window(tokens, 2_048).reply;
        assert_eq!([of(200_000), of(8_192), of(4_096), of(0)], [2_048, 2_048, 1_024, 0]);
    }
}
