use crate::capability::Descriptor;
use crate::registry::Registry;

/// A switch target that fits nothing installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` names no capability: give a name, `name@version` or a namespace like `web.*`{}", .target.escape_debug(), hint(.near))]
pub struct UnknownTarget {
    target: String,
    near: Vec<String>,
}

impl UnknownTarget {
    /// What is installed under a similar name.
    #[must_use]
    pub fn near(&self) -> &[String] {
        &self.near
    }
}

fn hint(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) }
}

/// What a target covers now, and the namespace when it is one.
#[derive(Debug)]
pub(crate) struct Covered {
    pub(crate) descriptors: Vec<&'static Descriptor>,
    pub(crate) via: Option<String>,
}

/// `web.fetch` (every version), `web.fetch@2`, or `web.*`; exact, and never a near name.
pub(crate) fn covered(registry: &Registry, target: &str) -> Result<Covered, UnknownTarget> {
    let namespace = target.strip_suffix('*').filter(|prefix| prefix.ends_with('.'));
    let versioned =
        target.split_once('@').and_then(|(name, v)| Some((name, v.parse::<u32>().ok()?)));
    let fits = |d: &&Descriptor| match (namespace, versioned) {
        (Some(prefix), _) => d.name().starts_with(prefix),
        (None, Some((name, version))) => d.name() == name && d.version() == version,
        (None, None) => d.name() == target,
    };
    let descriptors: Vec<_> = registry.descriptors().filter(fits).collect();
    if descriptors.is_empty() {
        let target: String = target.chars().take(80).collect();
        return Err(UnknownTarget { near: near(registry, &target), target });
    }
    Ok(Covered { descriptors, via: namespace.map(|_| target.to_owned()) })
}

/// At most five, for a person who mistyped. Nothing acts on it.
fn near(registry: &Registry, target: &str) -> Vec<String> {
    let name = target.split('@').next().unwrap_or_default().trim_end_matches(['.', '*']);
    let first = |name: &str| name.split('.').next().map(str::to_owned);
    let mut ranked: Vec<(usize, String)> = registry
        .descriptors()
        .filter_map(|d| {
            let away = distance(name, d.name());
            let close = away <= 3 || first(name) == first(d.name()) || d.name().contains(name);
            (close && !name.is_empty()).then(|| (away, format!("{}@{}", d.name(), d.version())))
        })
        .collect();
    ranked.sort();
    ranked.into_iter().map(|(_, name)| name).take(5).collect()
}

/// Levenshtein's.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i.saturating_add(1);
        for (cell, y) in std::iter::zip(row.iter_mut(), std::iter::once('\0').chain(b.chars())) {
            let above = *cell;
            // the first cell is the empty prefix of `b`
            let best = if y == '\0' {
                left
            } else {
                let replaced = diagonal.saturating_add(usize::from(x != y));
                replaced.min(above.saturating_add(1)).min(left.saturating_add(1))
            };
            diagonal = above;
            *cell = best;
            left = best;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
