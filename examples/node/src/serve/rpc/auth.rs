//! Coming and going, passwords and accounts.

use super::super::identity::{Accounts, AccountsError, Entering, Known, Role, Secret, Session};
use super::{Answer, Call, Params, RpcError, plain};
use crate::serve::service::Service;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sovereign_core::audit::{AccountChange, Administrative};
use sovereign_core::caller::CallerScope;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
    /// For the page alone, which keeps it where no other port of this machine can read it.
    csrf: &'a str,
}

/// Who has shown who they are.
struct Shown {
    account: Known,
    by_token: bool,
    /// What a browser is known by from now on.
    browser: Option<Secret>,
}

/// With a name and a password, or with a one-time token. The session gets a cookie and a CSRF token
/// that nobody had before; one of `browsers` is what an earlier login left.
pub(crate) async fn login(
    service: &Arc<Service>,
    params: &Params,
    browsers: &[&str],
) -> Result<Answer, RpcError> {
    if service.is_closing() {
        return Err(RpcError::STOPPING);
    }
    let shown = match params.read()? {
        Login { user: Some(user), password: Some(password), token: None } => {
            by_password(service, user, password, browsers).await?
        }
        Login { user: None, password: None, token: Some(token) } => {
            by_token(service, &token).await?
        }
        _ => {
            return Err(RpcError::invalid_params("give `user` and `password`, or `token` alone"));
        }
    };
    let Some(Shown { account, by_token, browser }) = shown else {
        service.record(Administrative::LoginFailed).await;
        tracing::warn!("a login failed");
        return Err(RpcError::LOGIN_FAILED);
    };
    let Known { view, stamp } = account;
    while let Some(idle) = service.sessions.surplus(&view.user) {
        service.end(&idle, None).await;
    }
    let (user, role) = (view.user.clone(), view.role);
    let begun = service.sessions.begin(Entering { user, role, stamp, by_token });
    let (cookie, session) =
        begun.map_err(|_| RpcError::INTERNAL)?.ok_or(RpcError::TOO_MANY_SESSIONS)?;
    service.record(Administrative::Login).await;
    tracing::info!(session = session.id, role = role.word(), "session began");
    let (principal, password_set, csrf) = (&*view.user, view.password_set, session.csrf.reveal());
    let answer = plain(&LoggedIn { principal, role, password_set, csrf })?;
    let browser = browser.map(|browser| browser.reveal().to_owned());
    Ok(Answer { cookie: Some(cookie.reveal().to_owned()), browser, ..answer })
}

/// A token cannot be guessed: nothing is counted, so that nobody can use it up for others.
async fn by_token(service: &Arc<Service>, token: &str) -> Result<Option<Shown>, RpcError> {
    let Some(user) = service.tokens.take(token) else { return Ok(None) };
    let account = on_disk(service, move |accounts| accounts.now(&user)).await?;
    Ok(account.map(|account| Shown { account, by_token: true, browser: None }))
}

async fn by_password(
    service: &Arc<Service>,
    user: String,
    password: String,
    browsers: &[&str],
) -> Result<Option<Shown>, RpcError> {
    let attempt = service.throttle.begin(&user, Accounts::is_name(&user), browsers);
    let attempt = attempt.map_err(|wait| RpcError::TOO_MANY_LOGINS.after(wait))?;
    let Some(account) = hashing(service, move |accounts| accounts.check(&user, &password)).await?
    else {
        return Ok(None);
    };
    let browser = attempt.succeeded(&*service.parts.entropy).ok();
    Ok(Some(Shown { account, by_token: false, browser }))
}

/// Withdraws what is pending, ends the session and forgets the cookie.
pub(crate) async fn logout(call: Call) -> Result<Answer, RpcError> {
    call.no_params()?;
    call.service.end(&call.session, Some(Administrative::Logout)).await;
    Ok(Answer { cookie: Some(String::new()), ..plain(&json!({}))? })
}

/// That it is the caller's own password: a session alone changes nothing about who may come in.
async fn prove(
    service: &Arc<Service>,
    session: &Session,
    password: Option<String>,
) -> Result<(), RpcError> {
    let password = password.ok_or(RpcError::WRONG_PASSWORD)?;
    let user = session.user.clone();
    let counted = session.may_prove(service.parts.clock.now());
    counted.map_err(|wait| RpcError::TOO_MANY_LOGINS.after(wait))?;
    let fits = hashing(service, move |accounts| accounts.check(&user, &password)).await?;
    fits.ok_or(RpcError::WRONG_PASSWORD)?;
    session.proved();
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetPassword {
    user: Option<String>,
    old: Option<String>,
    new: String,
    own_password: Option<String>,
}

/// One's own, with the old one unless there is none or this session came with a one-time token; or, as
/// an operator with one's own password, another's.
pub(crate) async fn set_password(call: Call) -> Result<Answer, RpcError> {
    let SetPassword { user, old, new, own_password } = call.params.read()?;
    let Call { service, session, .. } = call;
    let _unfinished = service.changing().await?;
    let own = user.as_ref().is_none_or(|user| *user == session.user);
    if !own && session.role < Role::Operator {
        return Err(RpcError::NOT_FOR_THIS_ROLE);
    }
    let user = user.unwrap_or_else(|| session.user.clone());
    let name = user.clone();
    let now = on_disk(&service, move |accounts| accounts.now(&name)).await?;
    let view = now.map(|known| known.view);
    let has_none = view.as_ref().is_some_and(|view| !view.password_set);
    if !own {
        prove(&service, &session, own_password).await?;
    } else if !has_none && !session.by_token.load(Ordering::SeqCst) {
        prove(&service, &session, old).await?;
    }
    let stamp = service.parts.accounts.stamp().map_err(|_| RpcError::INTERNAL)?;
    let (name, under) = (user, stamp.clone());
    if own {
        session.also_under(&stamp);
    }
    let set = hashing(&service, move |accounts| accounts.set_stamped(&name, &new, &under)).await;
    if own {
        session.only_under(&stamp, set.is_ok());
    }
    set?;
    if own {
        service.parts.executor.void(&session.scope());
    }
    changed(&service, AccountChange::PasswordSet, view.map(|view| view.role)).await;
    plain(&json!({}))
}

/// The sessions of a changed account have the old stamp, and end.
async fn changed(service: &Arc<Service>, change: AccountChange, role: Option<Role>) {
    service.accounts_changed(change, role).await;
    service.sweep().await;
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
    own_password: Option<String>,
}

/// Lists the accounts, after the change that is asked for, if one is.
pub(crate) async fn users(call: Call) -> Result<Answer, RpcError> {
    let Users { action, user, role, password, own_password } = call.params.read()?;
    let service = &call.service;
    let _unfinished = service.changing().await?;
    match (action, user, role, password) {
        (None, None, None, None) => {}
        (Some(Action::Add), Some(user), Some(role), Some(password)) => {
            prove(service, &call.session, own_password).await?;
            hashing(service, move |accounts| accounts.add(&user, role, &password)).await?;
            changed(service, AccountChange::Added, Some(role)).await;
        }
        (Some(Action::Remove), Some(user), None, None) => {
            prove(service, &call.session, own_password).await?;
            let name = user.clone();
            on_disk(service, move |accounts| accounts.remove(&name)).await?;
            changed(service, AccountChange::Removed, None).await;
            forget(service, &user).await?;
        }
        (Some(Action::SetRole), Some(user), Some(role), None) => {
            prove(service, &call.session, own_password).await?;
            on_disk(service, move |accounts| accounts.set_role(&user, role)).await?;
            changed(service, AccountChange::RoleSet, Some(role)).await;
        }
        _ => {
            return Err(RpcError::invalid_params(
                "`add` takes `user`, `role` and `password`; `remove` takes `user`; `set_role` takes \
                 `user` and `role`; each takes `own_password`",
            ));
        }
    }
    plain(&json!({ "users": on_disk(service, |accounts| accounts.list()).await? }))
}

/// Whoever gets the name next must not read what was said under it.
async fn forget(service: &Arc<Service>, user: &str) -> Result<(), RpcError> {
    let (of, scope) = (Arc::clone(service), CallerScope::operator(user, ""));
    let forgotten = tokio::task::spawn_blocking(move || {
        let Some(histories) = &of.parts.histories else { return Ok(()) };
        histories.load(&scope)?.history.clear()
    });
    let forgotten = forgotten.await.map_err(|_| RpcError::INTERNAL)?;
    forgotten.map_err(|error| {
        tracing::error!(%error, "a transcript of an account that is gone is still there");
        RpcError::NO_TRANSCRIPT
    })
}

/// Files, off the runtime's threads.
async fn on_disk<T: Send + 'static>(
    service: &Arc<Service>,
    work: impl FnOnce(&Accounts) -> Result<T, AccountsError> + Send + 'static,
) -> Result<T, RpcError> {
    let accounts = service.parts.accounts.clone();
    let done = tokio::task::spawn_blocking(move || work(&accounts)).await;
    done.map_err(|_| RpcError::INTERNAL)?.map_err(unusable)
}

/// Hashes: few at once, and each is counted until it is done, whether or not anybody waits for it.
async fn hashing<T: Send + 'static>(
    service: &Arc<Service>,
    work: impl FnOnce(&Accounts) -> Result<T, AccountsError> + Send + 'static,
) -> Result<T, RpcError> {
    let permit = Arc::clone(&service.hashing).acquire_owned().await;
    let permit = permit.map_err(|_| RpcError::INTERNAL)?;
    on_disk(service, move |accounts| {
        let done = work(accounts);
        drop(permit);
        done
    })
    .await
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unusable(error: AccountsError) -> RpcError {
    match error {
        AccountsError::Unknown => RpcError::because("unknown_user", error.to_string()),
        AccountsError::Taken => RpcError::because("user_taken", error.to_string()),
        AccountsError::Name
        | AccountsError::Password
        | AccountsError::LastOperator
        | AccountsError::TooMany => RpcError::because("not_allowed", error.to_string()),
        AccountsError::File(_)
        | AccountsError::Lost { .. }
        | AccountsError::Content { .. }
        | AccountsError::Lock(_)
        | AccountsError::Entropy(_) => {
            tracing::error!(%error, "the accounts cannot be used");
            RpcError::because("accounts_unusable", "the accounts cannot be used")
        }
    }
}
