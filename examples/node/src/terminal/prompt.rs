use super::{Style, Tty};
use sovereign_core::confirmation::WINDOW;
use sovereign_core::host::{ConfirmationRequest, Decision};

/// A decision that a person is being asked for.
#[derive(Debug)]
pub(crate) struct Asking<'a> {
    tty: &'a mut Tty,
    request: ConfirmationRequest,
}

impl<'a> Asking<'a> {
    /// Shows what would happen. `None` when the terminal takes no text: nobody could see it.
    pub(crate) fn open(
        tty: &'a mut Tty,
        request: ConfirmationRequest,
        style: Style,
    ) -> Option<Self> {
        let disclosure = request.disclosure();
        let title = style.bold("A decision for you. Nothing of this has run yet.");
        let shown = tty.write(&format!("\n{title}\n{disclosure}"));
        // what stands in the queue was typed before the whole of it could be read
        let asked = shown.and_then(|()| tty.discard_typed()).and_then(|()| {
            let seconds = WINDOW.as_secs();
            tty.write(&format!(
                "Type `yes` to run it this once; anything else denies it. \
                 It expires in {seconds} seconds.\n> "
            ))
        });
        asked.ok().map(|()| Self { tty, request })
    }

    /// Waits for a line. Only the word `yes` approves: not `y`, not an empty line, not the end of
    /// input. Safe to cancel.
    pub(crate) async fn answer(&mut self) -> Decision {
        match self.tty.line().await {
            Ok(Some(line)) if line == b"yes\n" => Decision::Approve,
            Ok(_) | Err(_) => Decision::Deny,
        }
    }

    /// Takes the answer to where it counts and says what it did.
    pub(crate) fn decide(self, decision: Decision) {
        let said = match self.request.decide(decision) {
            Ok(_) if decision == Decision::Approve => "Approved, this once.\n".to_owned(),
            Ok(_) => "Denied.\n".to_owned(),
            Err(late) => format!("That came too late: {late}.\n"),
        };
        self.say(&said);
    }

    /// The decision went away while the person was thinking.
    pub(crate) fn expired(self) {
        self.say("\nThe time for this decision is over; it was not executed.\n");
    }

    fn say(self, text: &str) {
        // the outcome is told with the receipts, whether this is seen or not
        drop(self.tty.write(text));
    }
}
