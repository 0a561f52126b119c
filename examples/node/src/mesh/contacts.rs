use super::Peer;
use sovereign_core::caller::{CallerScope, Categories, Grants, Unavailable};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// Who may ask over the link, and for what at most (B04). The default is nobody.
///
/// What a peer holds is never more than what the grants give to mesh callers.
///
/// # Example
/// ```
/// use sovereign_core::caller::{Categories, Category};
/// use sovereign_node::mesh::{Contacts, Peer};
/// let (alice, eve) = (Peer::parse("!a11ce").unwrap(), Peer::parse("!e4e").unwrap());
/// let contacts = Contacts::default().allow(alice.clone(), [Category::System].into());
/// assert!(contacts.categories(&alice).is_some_and(|held| held.contains(Category::System)));
/// assert!(contacts.categories(&eve).is_none());
/// // deny wins over allow
/// assert!(contacts.deny(alice.clone()).categories(&alice).is_none());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Contacts {
    allowed: BTreeMap<Peer, Categories>,
    denied: BTreeSet<Peer>,
    others: Option<Categories>,
}

impl Contacts {
    /// This peer may ask, and holds at most these categories.
    #[must_use]
    pub fn allow(mut self, peer: Peer, at_most: Categories) -> Self {
        self.allowed.insert(peer, at_most);
        self
    }

    /// This peer may not ask, whatever else is said of it.
    #[must_use]
    pub fn deny(mut self, peer: Peer) -> Self {
        self.denied.insert(peer);
        self
    }

    /// Whoever is no contact may ask too, and holds at most these categories.
    #[must_use]
    pub fn admit_others(mut self, at_most: Categories) -> Self {
        self.others = Some(at_most);
        self
    }

    /// What this peer holds at most; `None` when it may not even ask.
    #[must_use]
    pub fn categories(&self, peer: &Peer) -> Option<&Categories> {
        if self.denied.contains(peer) {
            return None;
        }
        self.allowed.get(peer).or(self.others.as_ref())
    }

    /// How many peers may ask by name.
    #[must_use]
    pub fn count(&self) -> usize {
        self.allowed.keys().filter(|peer| !self.denied.contains(peer)).count()
    }

    /// Whether whoever is no contact may ask too.
    #[must_use]
    pub const fn admits_others(&self) -> bool {
        self.others.is_some()
    }

    /// Whether this peer is one of the contacts: the others share one quota, and no transcript is kept
    /// of them, so that strangers can fill neither memory nor disk.
    pub(super) fn is_contact(&self, peer: &Peer) -> bool {
        self.allowed.contains_key(peer)
    }
}

/// Grants, narrowed for mesh callers to what their contact allows: the mesh inputs become inputs to the
/// grants, and no stage reads them (B03, B04).
pub struct ContactGrants {
    grants: Arc<dyn Grants>,
    contacts: Contacts,
}

impl ContactGrants {
    /// `grants` as they are for everybody but mesh callers.
    #[must_use]
    pub fn new(grants: Arc<dyn Grants>, contacts: Contacts) -> Self {
        Self { grants, contacts }
    }
}

impl fmt::Debug for ContactGrants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ContactGrants").field(&self.contacts).finish()
    }
}

impl Grants for ContactGrants {
    fn granted(&self, scope: &CallerScope) -> Result<Categories, Unavailable> {
        let granted = self.grants.granted(scope)?;
        let CallerScope::Mesh { peer_id } = scope else { return Ok(granted) };
        let peer = Peer::parse(peer_id).ok();
        Ok(match peer.as_ref().and_then(|peer| self.contacts.categories(peer)) {
            Some(at_most) => granted.intersection(at_most),
            None => Categories::NONE,
        })
    }
}
