//! Coming and going, passwords and accounts.

use super::super::identity::{AccountsError, Entering, Role};
use super::{Answer, Call, Params, RpcError, plain};
use crate::serve::service::Service;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sovereign_core::audit::Administrative;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
}

#[derive(Serialize)]
struct LoggedIn<'a> {
    principal: &'a str,
    role: Role,
    password_set: bool,
}

/// With a name and a password, or with a one-time token. The session gets a cookie that nobody had
/// before.
pub(crate) async fn login(service: &Arc<Service>, params: &Params) -> Result<Answer, RpcError> {
    if service.is_closing() {
        return Err(RpcError::STOPPING);
    }
    let given: Login = params.read()?;
    let (user, by_token) = match given {
        Login { user: Some(user), password: Some(password), token: None } => {
            (check(service, user, password).await?, false)
        }
        Login { user: None, password: None, token: Some(token) } => {
            let wait = |wait| RpcError::TOO_MANY_LOGINS.after(wait);
            let attempt = service.throttle.begin("\0token").map_err(wait)?;
            let user = service.tokens.take(&token);
            if user.is_some() {
                attempt.succeeded();
            }
            (user, true)
        }
        _ => {
            return Err(RpcError::invalid_params("give `user` and `password`, or `token` alone"));
        }
    };
    let account = match user {
        Some(user) => on_disk(service, move |accounts| accounts.now(&user)).await?,
        None => None,
    };
    let Some((account, stamp)) = account else {
        service.record(Administrative::LoginFailed).await;
        tracing::warn!("a login failed");
        return Err(RpcError::LOGIN_FAILED);
    };
    let (user, role) = (account.user.clone(), account.role);
    let begun = service.sessions.begin(Entering { user, role, stamp, by_token });
    let (cookie, session) =
        begun.map_err(|_| RpcError::INTERNAL)?.ok_or(RpcError::TOO_MANY_SESSIONS)?;
    service.record(Administrative::Login).await;
    tracing::info!(session = session.id, role = role.word(), "session began");
    let password_set = account.password_set;
    let answer = plain(&LoggedIn { principal: &account.user, role, password_set })?;
    Ok(Answer { cookie: Some(cookie.reveal().to_owned()), ..answer })
}

/// The name, when it is its password.
async fn check(
    service: &Arc<Service>,
    user: String,
    password: String,
) -> Result<Option<String>, RpcError> {
    let wait = |wait| RpcError::TOO_MANY_LOGINS.after(wait);
    let attempt = service.throttle.begin(&user).map_err(wait)?;
    let _one_of_few = service.hashing.acquire().await.map_err(|_| RpcError::INTERNAL)?;
    let name = user.clone();
    let fits = on_disk(service, move |accounts| accounts.check(&name, &password)).await?;
    if fits {
        attempt.succeeded();
    }
    Ok(fits.then_some(user))
}

/// Withdraws what is pending, ends the session and forgets the cookie.
pub(crate) async fn logout(call: Call) -> Result<Answer, RpcError> {
    call.no_params()?;
    if call.service.end(&call.session).await {
        call.service.record(Administrative::Logout).await;
    }
    Ok(Answer { cookie: Some(String::new()), ..plain(&json!({}))? })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetPassword {
    user: Option<String>,
    old: Option<String>,
    new: String,
}

/// One's own, with the old one unless there is none or this session came with a one-time token; or, as
/// an operator, another's.
pub(crate) async fn set_password(call: Call) -> Result<Answer, RpcError> {
    let SetPassword { user, old, new } = call.params.read()?;
    let Call { service, session, .. } = call;
    let own = user.as_ref().is_none_or(|user| *user == session.user);
    if !own && session.role < Role::Operator {
        return Err(RpcError::NOT_FOR_THIS_ROLE);
    }
    let user = user.unwrap_or_else(|| session.user.clone());
    if own && !session.by_token {
        let name = user.clone();
        let now = on_disk(&service, move |accounts| accounts.now(&name)).await?;
        let fits = match (now, old) {
            (Some((account, _)), _) if !account.password_set => true,
            (Some(_), Some(old)) => check(&service, user.clone(), old).await?.is_some(),
            _ => false,
        };
        if !fits {
            return Err(RpcError::because("wrong_password", "the old password is not this one"));
        }
    }
    let _one_of_few = service.hashing.acquire().await.map_err(|_| RpcError::INTERNAL)?;
    let name = user.clone();
    let stamp = on_disk(&service, move |accounts| accounts.set_stamped(&name, &new)).await?;
    if own {
        session.restamp(stamp);
        service.parts.executor.void(&session.scope());
    }
    // the other sessions of the account have the old stamp
    service.sweep().await;
    plain(&json!({}))
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Add,
    Remove,
    SetRole,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Users {
    action: Option<Action>,
    user: Option<String>,
    role: Option<Role>,
    password: Option<String>,
}

/// Lists the accounts, after the change that is asked for, if one is.
pub(crate) async fn users(call: Call) -> Result<Answer, RpcError> {
    let Users { action, user, role, password } = call.params.read()?;
    let service = &call.service;
    match (action, user, role, password) {
        (None, None, None, None) => {}
        (Some(Action::Add), Some(user), Some(role), Some(password)) => {
            let _one = service.hashing.acquire().await.map_err(|_| RpcError::INTERNAL)?;
            on_disk(service, move |accounts| accounts.add(&user, role, &password)).await?;
        }
        (Some(Action::Remove), Some(user), None, None) => {
            on_disk(service, move |accounts| accounts.remove(&user)).await?;
        }
        (Some(Action::SetRole), Some(user), Some(role), None) => {
            on_disk(service, move |accounts| accounts.set_role(&user, role)).await?;
        }
        _ => {
            return Err(RpcError::invalid_params(
                "`add` takes `user`, `role` and `password`; `remove` takes `user`; `set_role` takes \
                 `user` and `role`",
            ));
        }
    }
    service.sweep().await;
    plain(&json!({ "users": on_disk(service, |accounts| accounts.list()).await? }))
}

/// Files and hashes, off the runtime's threads.
async fn on_disk<T: Send + 'static>(
    service: &Arc<Service>,
    work: impl FnOnce(&crate::serve::Accounts) -> Result<T, AccountsError> + Send + 'static,
) -> Result<T, RpcError> {
    let accounts = service.parts.accounts.clone();
    let done = tokio::task::spawn_blocking(move || work(&accounts)).await;
    done.map_err(|_| RpcError::INTERNAL)?.map_err(|error| match error {
        AccountsError::Unknown => RpcError::because("unknown_user", error.to_string()),
        AccountsError::Taken => RpcError::because("user_taken", error.to_string()),
        AccountsError::Name
        | AccountsError::Password
        | AccountsError::LastOperator
        | AccountsError::TooMany => RpcError::because("not_allowed", error.to_string()),
        AccountsError::File(_)
        | AccountsError::Content { .. }
        | AccountsError::Lock(_)
        | AccountsError::Entropy(_) => {
            tracing::error!(%error, "the accounts cannot be used");
            RpcError::because("accounts_unusable", "the accounts cannot be used")
        }
    })
}
