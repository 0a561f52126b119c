//! `web.fetch`: one public web page as text.
//!
//! A plugin as a downstream crate would write it: [`Fetch`] is the capability, [`Web`] what it is
//! installed with, [`WEB`] the plugin. What leaves the device does so through the way out that the
//! program gives the plugin when it installs it, so `main` shows where it may go:
//!
//! ```
//! use sovereign_core::audit::OutcomeKind;
//! use sovereign_core::capability::{Reach, Response};
//! use sovereign_core::testing::{Harness, Replies};
//! use sovereign_web::{Fetch, WEB, Web};
//! use std::sync::Arc;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let out = Replies::reaching(Reach::public()).with("https://example.com/", Response::new(200, "hello"));
//! let web = Arc::new(Web::new(Reach::public()));
//! let lab = Harness::install_reaching(&WEB, web, Arc::new(out)).build();
//!
//! let outcome = lab.call::<Fetch>(r#"{"url":"http://[::ffff:10.0.0.1]/"}"#).approved().await;
//! assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Refused, Some("address_not_public")));
//! # });
//! ```
//!
//! Two looks at every address, with the same [`Reach`](sovereign_core::capability::Reach): what the
//! text alone tells is refused in the policy stage, before anyone is asked and before any name is
//! resolved; what only resolving tells, the transport refuses after the approval.

mod address;
mod charset;
mod fetch;
mod fit;
mod html;

pub use fetch::{Fetch, Page, Web};

use sovereign_core::prelude::Plugin;

/// The plugin: install it with a [`Web`] and a way out.
pub static WEB: Plugin<Web> = Plugin::new("web", &[Fetch::ENTRY]);
