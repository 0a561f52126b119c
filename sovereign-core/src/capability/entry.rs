//! Type erasure in two steps and without `unsafe`: an entry erases the capability (fn pointer),
//! installing erases the state (`Arc<S>` behind a trait object).
use super::call::CallContext;
use super::output::Parts;
use super::{Call, Citation, Descriptor, Failure, NotAllowed, Outbound, Output, Run};
use crate::BoxFuture;
use crate::schema::{self, RawArguments, Violation};
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
}

impl<S: ?Sized + 'static> std::fmt::Debug for Entry<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.descriptor.name()).finish()
    }
}

impl<S: ?Sized + 'static> Entry<S> {
    /// The entry of `C`; the attribute makes it.
    #[must_use]
    pub const fn of<C: Run<State = S> + 'static>() -> Self {
        Self { descriptor: const { &Descriptor::of::<C>() }, prepare: prepare::<C> }
    }
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

fn prepare<C: Run + 'static>(
    raw: &RawArguments,
    state: &Arc<C::State>,
    outbound: WayOut<'_>,
) -> Result<Box<dyn Prepared>, Vec<Violation>> {
    let arguments: C = schema::decode(raw)?;
    Ok(Box::new(Ready { arguments, state: Arc::clone(state), outbound: outbound.cloned() }))
}

impl<C: Run + 'static> Prepared for Ready<C> {
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
            let output = arguments
                .run(Call::new(&state, outbound.as_ref(), context))
                .await
                .map_err(Fault::Own)?;
            let Parts { body, changed, citations } = output.into_parts();
            let withheld = |code| Fault::Withheld { code, changed };
            let mut json = Bounded { bytes: Vec::new(), left: context.max_result as usize };
            serde_json::to_writer(&mut json, &body).map_err(|_| withheld("result_too_large"))?;
            let result = const { &Descriptor::of::<C>().result };
            schema::check(&json.bytes, result).map_err(|_| withheld("result_invalid"))?;
            Ok(Produced { json: json.bytes, changed, citations })
        })
    }
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
