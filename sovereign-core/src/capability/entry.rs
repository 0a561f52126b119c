//! Type erasure in two steps and without `unsafe`: an entry erases the capability (fn pointer),
//! installing erases the state (`Arc<S>` behind a trait object).
use super::call::CallContext;
use super::const_text::same;
use super::output::Parts;
use super::{
    Call, Capability, Citation, Declaration, Descriptor, Failure, NotAllowed, Outbound, Output, Run,
};
use crate::BoxFuture;
use crate::schema::{self, Node, RawArguments, Schema, Violation};
use serde::Serialize;
use std::sync::Arc;

type WayOut<'a> = Option<&'a Arc<dyn Outbound>>;
type Prepare<S> =
    fn(&RawArguments, &Arc<S>, WayOut<'_>) -> Result<Box<dyn Prepared>, Vec<Violation>>;

/// One capability of a plugin with state `S`: what `ENTRY` of a capability holds, for [`Plugin::new`].
///
/// [`Plugin::new`]: super::Plugin::new
pub struct Entry<S: ?Sized + 'static> {
    pub(crate) descriptor: &'static Descriptor,
    pub(crate) prepare: Prepare<S>,
    /// Of name and version: most entries of a plugin differ in it already.
    pub(super) key: u64,
}

impl<S: ?Sized + 'static> std::fmt::Debug for Entry<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.descriptor.name()).finish()
    }
}

impl<S: ?Sized + 'static> Entry<S> {
    /// The entry of `C`; the attribute makes it.
    #[must_use]
    pub const fn of<C: Capability + Run<State = S> + 'static>() -> Self {
        let descriptor = const { &Descriptor::of::<C>() };
        Self { descriptor, prepare: prepare::<C>, key: key(&descriptor.declaration) }
    }

    /// Whether it has this name and version too.
    pub(super) const fn is_same_as(&self, other: &Self) -> bool {
        let (a, b) = (&self.descriptor.declaration, &other.descriptor.declaration);
        a.version == b.version && same(a.name.as_bytes(), b.name.as_bytes())
    }
}

/// FNV-1a. Const evaluation takes its time: a plugin of hundreds compares keys, and names hardly ever.
const fn key(declaration: &Declaration) -> u64 {
    let mut key = 0xcbf2_9ce4_8422_2325 ^ declaration.version as u64;
    let mut rest = declaration.name.as_bytes();
    while let [byte, more @ ..] = rest {
        key = (key ^ *byte as u64).wrapping_mul(0x100_0000_01b3);
        rest = more;
    }
    key
}

/// Arguments decoded, state at hand, nothing run yet.
pub(crate) trait Prepared: Send {
    fn allow(&self) -> Result<(), NotAllowed>;
    fn destination(&self) -> Option<String>;
    fn effect(&self) -> Option<String>;
    fn run<'a>(self: Box<Self>, context: &'a CallContext)
    -> BoxFuture<'a, Result<Produced, Fault>>;
}

#[derive(Debug)]
pub(crate) struct Produced {
    pub(crate) json: Vec<u8>,
    pub(crate) changed: Option<bool>,
    pub(crate) citations: Vec<Citation>,
}

#[derive(Debug)]
pub(crate) enum Fault {
    Own(Failure),
    /// It ran; what it said is withheld.
    Withheld {
        code: &'static str,
        changed: Option<bool>,
    },
}

struct Ready<C: Run> {
    arguments: C,
    state: Arc<C::State>,
    outbound: Option<Arc<dyn Outbound>>,
}

fn prepare<C: Capability + Run + 'static>(
    raw: &RawArguments,
    state: &Arc<C::State>,
    outbound: WayOut<'_>,
) -> Result<Box<dyn Prepared>, Vec<Violation>> {
    match schema::decode::<C>(raw) {
        Ok(arguments) => {
            let (state, outbound) = (Arc::clone(state), outbound.cloned());
            Ok(Box::new(Ready { arguments, state, outbound }))
        }
        Err(violations) => Err(violations),
    }
}

impl<C: Capability + Run + 'static> Prepared for Ready<C> {
    fn allow(&self) -> Result<(), NotAllowed> {
        self.arguments.allow(&self.state)
    }
    fn destination(&self) -> Option<String> {
        self.arguments.destination()
    }
    fn effect(&self) -> Option<String> {
        self.arguments.effect()
    }
    fn run<'a>(
        self: Box<Self>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Produced, Fault>> {
        Box::pin(async move {
            let Self { arguments, state, outbound } = *self;
            match arguments.run(Call::new(&state, outbound.as_ref(), context)).await {
                Ok(output) => written(output.into_parts(), context.max_result),
                Err(failure) => Err(Fault::Own(failure)),
            }
        })
    }
}

/// Measured while it is written, then checked; once for each type of result.
fn written<B: Serialize + Schema>(parts: Parts<B>, most: u32) -> Result<Produced, Fault> {
    let Parts { body, changed, citations } = parts;
    let mut json = Bounded { bytes: Vec::new(), left: most as usize };
    let fits = serde_json::to_writer(&mut json, &body).is_ok();
    checked(json.bytes, fits, const { &B::NODE })
        .map(|json| Produced { json, changed, citations })
        .map_err(|code| Fault::Withheld { code, changed })
}

fn checked(json: Vec<u8>, fits: bool, result: &Node) -> Result<Vec<u8>, &'static str> {
    if !fits {
        return Err("result_too_large");
    }
    schema::check(&json, result).map(|()| json).map_err(|_| "result_invalid")
}

struct Bounded {
    bytes: Vec<u8>,
    left: usize,
}
impl std::io::Write for Bounded {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.left = self.left.checked_sub(buf.len()).ok_or(std::io::ErrorKind::FileTooLarge)?;
        self.bytes.extend_from_slice(buf);
        Ok(buf.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
