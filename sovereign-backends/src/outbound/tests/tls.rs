//! Certificates are checked by name, whatever address is pinned.

use super::*;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A server for `page.test` and the roots that vouch for it; the names that clients ask for are kept.
async fn secure() -> (SocketAddr, RootCertStore, Arc<Mutex<Vec<String>>>) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["page.test".into()]).unwrap();
    let leaf = leaf.signed_by(&key, &issuer).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(issuer.der().to_vec())).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let log = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let name = stream.get_ref().1.server_name().unwrap_or("none").to_owned();
            log.lock().unwrap().push(name);
            drop(stream.read(&mut [0; 4096]).await);
            let said = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nsafe";
            drop(stream.write_all(said).await);
            drop(stream.shutdown().await);
        }
    });
    (address, roots, asked)
}

async fn ask(name: &str, address: SocketAddr, roots: RootCertStore) -> Result<Response, Failure> {
    let names = Names::answering(&[&["127.0.0.1"]]);
    let out = HttpOutbound::with_roots(Reach::only([address]), names, roots).unwrap();
    out.send(Request::get(format!("https://{name}:{}/", address.port()))).await
}

#[tokio::test]
async fn a_certificate_for_the_name_is_accepted_at_a_pinned_address() {
    let (address, roots, asked) = secure().await;
    assert_eq!(ask("page.test", address, roots).await.unwrap().body, b"safe");
    assert_eq!(*asked.lock().unwrap(), ["page.test"]);
}

#[tokio::test]
async fn a_certificate_for_another_name_or_of_another_root_is_refused() {
    let (address, roots, _) = secure().await;
    assert_eq!(code(ask("other.test", address, roots).await), "unreachable");
    let public = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    assert_eq!(code(ask("page.test", address, public).await), "unreachable");
}
