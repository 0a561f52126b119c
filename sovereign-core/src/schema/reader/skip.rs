//! Reading past a value of any shape. What is skipped is still checked for syntax, duplicate keys
//! and depth.
use super::keys::Keys;
use super::{Fault, Reader, Stop};

impl Reader<'_> {
    /// Reads past the value at the cursor. Recursion is bounded by the depth limit.
    pub(super) fn skip(&mut self) -> Result<(), Stop> {
        match self.peek() {
            Some(b'"') => self.skip_string(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            Some(b'-' | b'0'..=b'9') => self.skip_number(),
            Some(b'[') => self.skip_array(),
            Some(b'{') => self.skip_object(),
            Some(_) => Err(self.not_json("no value where one should be")),
            None => Err(self.not_json("no value before the end")),
        }
    }

    fn skip_array(&mut self) -> Result<(), Stop> {
        self.enter()?;
        if self.peek() != Some(b']') {
            loop {
                self.skip()?;
                if !self.another(b']')? {
                    break;
                }
            }
        }
        self.leave();
        Ok(())
    }

    fn skip_object(&mut self) -> Result<(), Stop> {
        self.enter()?;
        if self.peek() != Some(b'}') {
            let mut keys = Keys::new();
            loop {
                if !keys.insert(self.key()?) {
                    let at = self.at;
                    return Err(self.halt(Fault::DuplicateKey { at }));
                }
                self.skip()?;
                if !self.another(b'}')? {
                    break;
                }
            }
        }
        self.leave();
        Ok(())
    }
}
