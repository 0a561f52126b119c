//! Filling the fields of a derived struct. The loop is here once, and a field's part of it once for
//! each type: what a derive adds for its struct stays small.
use super::{Fields, Inside, Reader, Stop};
use crate::schema::arg::Arg;
use crate::schema::node::Node;

/// Where the value of one field goes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take the value of a field",
    label = "not an `Option` of an argument type",
    note = "derive `Arg` on the struct: it makes the slots"
)]
pub trait Slot {
    /// Reads the value at the cursor.
    ///
    /// # Errors
    /// As [`Arg::decode`].
    fn read(&mut self, reader: &mut Reader<'_>, node: &Node) -> Result<(), Stop>;

    /// After the last field: what was left out becomes what stands for it, if anything does.
    fn settle(&mut self);
}

impl<T: Arg> Slot for Option<T> {
    fn read(&mut self, reader: &mut Reader<'_>, node: &Node) -> Result<(), Stop> {
        *self = Some(T::decode(reader, node)?);
        Ok(())
    }

    fn settle(&mut self) {
        if self.is_none() {
            *self = T::absent();
        }
    }
}

impl Reader<'_> {
    /// Reads an object into one slot for each of its fields. `Ok` means that all of it fits: a slot
    /// without a value is that of a field with a default.
    ///
    /// # Errors
    /// [`Stop::Invalid`] when anything in the object was recorded.
    pub fn fill(&mut self, node: &Node, slots: &mut [&mut dyn Slot]) -> Result<(), Stop> {
        let fields = self.object(node)?;
        self.fill_fields(fields, slots)
    }

    /// As [`Self::fill`], for the body of a variant with named fields.
    ///
    /// # Errors
    /// As [`Self::fill`].
    pub fn fill_variant(
        &mut self,
        inside: &Inside,
        slots: &mut [&mut dyn Slot],
    ) -> Result<(), Stop> {
        let fields = self.variant_fields(inside)?;
        self.fill_fields(fields, slots)
    }

    #[inline]
    fn fill_fields(&mut self, mut fields: Fields, slots: &mut [&mut dyn Slot]) -> Result<(), Stop> {
        let mut filled = 0usize;
        while let Some(index) = self.next(&mut fields)? {
            let slot = slots.get_mut(index).ok_or(Stop::Invalid)?;
            let fits = self.member(&mut fields, index, |reader, node| slot.read(reader, node))?;
            filled = filled.saturating_add(usize::from(fits));
        }
        // each field is read at most once: nothing is missing then
        if fields.are_good(filled) {
            return Ok(());
        }
        self.finish(&fields)?;
        slots.iter_mut().for_each(|slot| slot.settle());
        Ok(())
    }
}
