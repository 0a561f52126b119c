//! The one table of methods: name, who may call it, and what does it.

use super::super::identity::Role;
use super::{Answer, Call, RpcError, assistant, auth, change, log, look, node};
use sovereign_core::BoxFuture;

type Run = fn(Call) -> BoxFuture<'static, Result<Answer, RpcError>>;

/// What stands behind a name.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Nobody has to be logged in: there is one.
    Login,
    /// A session of this role or a higher one, with its CSRF token.
    Session(Role, Run),
}

/// One row.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) access: Access,
}

macro_rules! row {
    ($name:literal, $role:ident, $run:path) => {
        Method { name: $name, access: Access::Session(Role::$role, |call| Box::pin($run(call))) }
    };
}

/// Accounts and sessions: outside the executor.
static AUTH: &[Method] = &[
    Method { name: "auth.login", access: Access::Login },
    row!("auth.logout", Viewer, auth::logout),
    row!("auth.set-password", Viewer, auth::set_password),
    row!("auth.users", Operator, auth::users),
];

/// The assistant: outside the executor, which what it proposes goes through.
static ASSISTANT: &[Method] = &[
    row!("assistant.chat", Operator, assistant::chat),
    row!("assistant.cancel", Operator, assistant::cancel),
    row!("assistant.status", Viewer, assistant::status),
    row!("assistant.pending", Operator, assistant::pending),
    row!("assistant.confirm-tool", Operator, assistant::confirm_tool),
    row!("assistant.list-tools", Viewer, look::list_tools),
    row!("assistant.grants-get", Viewer, look::grants_get),
    row!("assistant.grants-set", Operator, change::grants_set),
    row!("assistant.policy-get", Viewer, look::policy_get),
    row!("assistant.policy-set", Operator, change::policy_set),
    row!("assistant.backends", Viewer, look::backends),
    row!("assistant.history", Operator, assistant::history),
    row!("assistant.clear-history", Operator, assistant::clear_history),
    row!("assistant.audit", Viewer, log::audit),
];

/// Whatever touches the node: through the executor, like a model's proposal.
static SYSTEM: &[Method] = &[
    row!("system.disk-status", Viewer, node::disk_status),
    row!("system.health", Viewer, node::health),
];

/// Exact; a name that is in no table is nothing.
pub(crate) fn find(name: &str) -> Option<&'static Method> {
    let table = match name.split_once('.')?.0 {
        "auth" => AUTH,
        "assistant" => ASSISTANT,
        "system" => SYSTEM,
        _ => return None,
    };
    table.iter().find(|method| method.name == name)
}

/// All rows, for whoever shows or tests them.
pub(crate) fn all() -> impl Iterator<Item = &'static Method> {
    [AUTH, ASSISTANT, SYSTEM].into_iter().flatten()
}
