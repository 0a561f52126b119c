//! Filling the fields of a derived struct. The loop is here once, and a field's part of it once for
//! each type: what a derive adds for its struct stays small.
use super::{Fields, Reader, Stop};
use crate::schema::arg::Arg;

/// Where the value of one field goes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take the value of a field",
    label = "not an `Option` of an argument type",
    note = "derive `Arg` on the struct: it makes the slots"
)]
pub trait Slot {
    /// Reads the value of field `index`.
    ///
    /// # Errors
    /// As [`Reader::field`].
    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        fields: &mut Fields,
        index: usize,
    ) -> Result<(), Stop>;

    /// After the last field: what was left out becomes what stands for it, if anything does.
    fn settle(&mut self);
}

impl<T: Arg> Slot for Option<T> {
    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        fields: &mut Fields,
        index: usize,
    ) -> Result<(), Stop> {
        reader.field(fields, index, self)
    }

    fn settle(&mut self) {
        if self.is_none() {
            *self = T::absent();
        }
    }
}

impl Reader<'_> {
    /// Reads the object that was entered into one slot for each of its fields. `Ok` means that all
    /// of it fits: a slot without a value is that of a field with a default.
    ///
    /// # Errors
    /// [`Stop::Invalid`] when anything in the object was recorded.
    pub fn fill(
        &mut self,
        entered: Result<Fields, Stop>,
        slots: &mut [&mut dyn Slot],
    ) -> Result<(), Stop> {
        let mut fields = entered?;
        while let Some(index) = self.next(&mut fields)? {
            let slot = slots.get_mut(index).ok_or(Stop::Invalid)?;
            slot.read(self, &mut fields, index)?;
        }
        self.finish(&fields)?;
        slots.iter_mut().for_each(|slot| slot.settle());
        Ok(())
    }
}
