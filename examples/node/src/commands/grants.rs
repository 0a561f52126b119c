use crate::assemble::{administration, looking};
use crate::cli::{Grant, Grants};
use crate::data_dir::{DataDir, DataDirError};
use crate::exit::{Exit, NodeError};
use crate::terminal::print;
use sovereign_core::caller::ScopeKind;

/// Which categories a kind of caller holds.
pub(crate) async fn grants(data: &DataDir, command: Grants) -> Result<Exit, NodeError> {
    let text = match command {
        Grants::List => list(data)?,
        Grants::Add(Grant { category, scope }) => {
            let scope = scope.kind();
            let new = administration(data)?.0.grant(scope, &category).await?;
            let already = if new { "" } else { " already" };
            format!("{scope} holds {category}{already}\n")
        }
        Grants::Remove(Grant { category, scope }) => {
            let scope = scope.kind();
            let held = administration(data)?.0.revoke(scope, &category).await?;
            if held {
                format!("{scope} no longer holds {category}\n")
            } else {
                format!("{scope} did not hold {category}\n")
            }
        }
    };
    print(&text).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

fn list(data: &DataDir) -> Result<String, NodeError> {
    let (_, (grants, _)) = looking(data)?;
    let line = |scope: ScopeKind| {
        let held = grants.held(scope).map_err(DataDirError::from)?;
        Ok::<_, NodeError>(format!("{scope}: {held}\n"))
    };
    Ok([line(ScopeKind::Operator)?, line(ScopeKind::Mesh)?].concat())
}
