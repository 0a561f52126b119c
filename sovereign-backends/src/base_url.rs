use sovereign_core::backend::Locality;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use url::{Host, Url};

/// Where a model server listens: scheme, host, port and perhaps a path prefix.
///
/// Its [locality](Self::locality) follows from the host alone: loopback is this device, every other
/// address makes the leg a remote one.
///
/// ```
/// use sovereign_backends::BaseUrl;
/// use sovereign_core::backend::Locality;
///
/// let here: BaseUrl = "http://127.0.0.1:11434".parse()?;
/// assert_eq!(here.locality(), Locality::Local);
/// let there: BaseUrl = "http://192.168.1.20:11434".parse()?;
/// assert_eq!(there.locality(), Locality::Remote);
/// # Ok::<(), sovereign_backends::BaseUrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

/// Why a text is no base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaseUrlError {
    /// Not a URL at all.
    #[error("not a URL: {0}")]
    Syntax(url::ParseError),
    /// Another scheme, or no host.
    #[error("the URL must start with `http://` or `https://` and name a host")]
    Scheme,
    /// A user name or password, which would end up in logs.
    #[error("the URL must not hold a user name or password")]
    Userinfo,
    /// Something behind the path.
    #[error("the URL must not hold a query or fragment")]
    Suffix,
}

impl BaseUrl {
    /// The address of one endpoint below it (`api/chat`).
    pub(crate) fn join(&self, endpoint: &str) -> Url {
        let mut url = self.0.clone();
        let prefix = self.0.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}/{endpoint}"));
        url
    }

    /// Whether nobody on the way reads what is sent there.
    pub(crate) fn keeps_secrets(&self) -> bool {
        self.is_local() || self.0.scheme() == "https"
    }

    pub(crate) fn is_local(&self) -> bool {
        self.locality() == Locality::Local
    }

    /// Whether it names this device: a loopback address, or `localhost`, which the client pins to
    /// loopback so that no resolver can send it elsewhere.
    #[must_use]
    pub fn locality(&self) -> Locality {
        let loopback = match self.0.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        if loopback { Locality::Local } else { Locality::Remote }
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, BaseUrlError> {
        let url = Url::parse(text).map_err(BaseUrlError::Syntax)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(BaseUrlError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BaseUrlError::Userinfo);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(BaseUrlError::Suffix);
        }
        Ok(Self(url))
    }
}

/// Without the slash at the end, as people write it.
impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
#[path = "base_url_tests.rs"]
mod tests;
