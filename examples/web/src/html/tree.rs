//! A page as an arena of nodes: no recursion in building, walking or dropping it.

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

/// The finished page.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    all: Vec<Node>,
    depth: usize,
    title: Option<usize>,
}

#[derive(Debug)]
struct Node {
    content: Content,
    parent: Option<usize>,
    children: Vec<usize>,
    depth: usize,
    template: Option<Handle>,
}

#[derive(Debug)]
pub(super) enum Content {
    /// The document, a comment, or what a template holds.
    Other,
    Text(String),
    Element {
        name: LocalName,
        hidden: bool,
    },
}

impl Nodes {
    /// The document's own.
    pub(super) const ROOT: usize = 0;

    pub(super) fn content(&self, id: usize) -> &Content {
        self.all.get(id).map_or(&Content::Other, |node| &node.content)
    }

    pub(super) fn children(&self, id: usize) -> &[usize] {
        self.all.get(id).map_or(&[], |node| &node.children)
    }

    /// The first title of the page itself, its white space collapsed.
    pub(super) fn title(&self) -> Option<String> {
        let mut words = Vec::new();
        for child in self.children(self.title?) {
            if let Content::Text(text) = self.content(*child) {
                words.extend(text.split_whitespace());
            }
        }
        let line = words.join(" ");
        (!line.is_empty()).then_some(line)
    }

    fn add(&mut self, content: Content) -> usize {
        let id = self.all.len();
        let children = Vec::new();
        self.all.push(Node { content, parent: None, children, depth: 0, template: None });
        id
    }

    fn detach(&mut self, id: usize) {
        let Some(parent) = self.all.get_mut(id).and_then(|node| node.parent.take()) else { return };
        if let Some(parent) = self.all.get_mut(parent)
            // What is moved was mostly added late.
            && let Some(place) = parent.children.iter().rposition(|child| *child == id)
        {
            parent.children.remove(place);
        }
    }

    /// As a child of `parent` at `place`, the end if `None`.
    fn insert(&mut self, parent: usize, place: Option<usize>, child: NodeOrText<Handle>) {
        let siblings = self.children(parent);
        let end = place.unwrap_or(siblings.len());
        let before = end.checked_sub(1).and_then(|i| siblings.get(i)).copied();
        let id = match child {
            NodeOrText::AppendNode(handle) => {
                self.detach(handle.id);
                handle.id
            }
            NodeOrText::AppendText(text) => {
                let before =
                    before.and_then(|id| self.all.get_mut(id)).map(|node| &mut node.content);
                if let Some(Content::Text(so_far)) = before {
                    so_far.push_str(&text);
                    return;
                }
                self.add(Content::Text(text.to_string()))
            }
        };
        let Some(above) = self.all.get_mut(parent) else { return };
        above.children.insert(end.min(above.children.len()), id);
        let depth = above.depth.saturating_add(1);
        self.depth = self.depth.max(depth);
        if let Some(node) = self.all.get_mut(id) {
            (node.parent, node.depth) = (Some(parent), depth);
        }
    }
}

/// A node and its name; the parser asks for the name of elements only.
#[derive(Debug, Clone)]
pub(super) struct Handle {
    id: usize,
    name: Rc<QualName>,
}

/// What the parser builds into.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: RefCell<Nodes>,
    nameless: Rc<QualName>,
}

impl Default for Tree {
    fn default() -> Self {
        let mut nodes = Nodes::default();
        nodes.add(Content::Other);
        let nameless = Rc::new(QualName::new(None, ns!(), local_name!("")));
        Self { nodes: RefCell::new(nodes), nameless }
    }
}

impl Tree {
    /// How deep it goes.
    pub(super) fn depth(&self) -> usize {
        self.nodes.borrow().depth
    }

    /// How many nodes it has.
    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().all.len()
    }

    fn other(&self) -> Handle {
        let id = self.nodes.borrow_mut().add(Content::Other);
        Handle { id, name: Rc::clone(&self.nameless) }
    }
}

impl TreeSink for Tree {
    type Handle = Handle;
    type Output = Nodes;
    type ElemName<'a> = &'a QualName;

    fn finish(self) -> Nodes {
        self.nodes.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { id: Nodes::ROOT, name: Rc::clone(&self.nameless) }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> &'a QualName {
        &target.name
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let hidden = attrs.iter().any(hides);
        let content = Content::Element { name: name.local.clone(), hidden };
        let id = self.nodes.borrow_mut().add(content);
        // A drawing in the page may have titles too.
        if name.ns == ns!(html) && name.local == local_name!("title") {
            self.nodes.borrow_mut().title.get_or_insert(id);
        }
        if flags.template {
            let held = self.other();
            if let Some(node) = self.nodes.borrow_mut().all.get_mut(id) {
                node.template = Some(held);
            }
        }
        Handle { id, name: Rc::new(name) }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.other()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.other()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.nodes.borrow_mut().insert(parent.id, None, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        prev_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let has_parent =
            self.nodes.borrow().all.get(element.id).is_some_and(|node| node.parent.is_some());
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(prev_element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        let nodes = self.nodes.borrow();
        let held = nodes.all.get(target.id).and_then(|node| node.template.clone());
        // The parser asks of templates only.
        held.unwrap_or_else(|| target.clone())
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new_node: NodeOrText<Handle>) {
        let mut nodes = self.nodes.borrow_mut();
        if let NodeOrText::AppendNode(handle) = &new_node {
            nodes.detach(handle.id);
        }
        let Some(parent) = nodes.all.get(sibling.id).and_then(|node| node.parent) else { return };
        let place = nodes.children(parent).iter().rposition(|child| *child == sibling.id);
        nodes.insert(parent, place, new_node);
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let mut nodes = self.nodes.borrow_mut();
        if let Some(Content::Element { hidden, .. }) =
            nodes.all.get_mut(target.id).map(|node| &mut node.content)
        {
            *hidden |= attrs.iter().any(hides);
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.nodes.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut nodes = self.nodes.borrow_mut();
        let Some(moved) = nodes.all.get_mut(node.id).map(|n| std::mem::take(&mut n.children))
        else {
            return;
        };
        for child in &moved {
            if let Some(child) = nodes.all.get_mut(*child) {
                child.parent = Some(new_parent.id);
            }
        }
        if let Some(above) = nodes.all.get_mut(new_parent.id) {
            above.children.extend(moved);
        }
    }
}

/// Whether an attribute takes its element out of sight.
fn hides(attribute: &Attribute) -> bool {
    if attribute.name.local == local_name!("hidden") {
        return true;
    }
    if attribute.name.local != local_name!("style") {
        return false;
    }
    attribute.value.split(';').any(|declaration| {
        let declaration = declaration.to_ascii_lowercase();
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim().trim_end_matches("!important").trim_end();
        matches!(
            (property.trim(), value),
            ("display", "none")
                | ("visibility", "hidden" | "collapse")
                | ("opacity", "0" | "0%" | "0.0")
                | ("font-size", "0" | "0px")
        )
    })
}
