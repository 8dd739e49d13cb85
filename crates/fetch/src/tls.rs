//! Secure connections: which authorities are trusted, and what to say when one is not.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::dial::Wire;
use crate::error::FetchError;
use crate::settings::SettingsError;

/// Makes the TLS set-up: the platform's authorities (or Mozilla's, where the platform has none) and
/// those in `extra_roots`; HTTP/2 is offered before HTTP/1.1.
pub(crate) fn config(extra_roots: &[u8]) -> Result<Arc<ClientConfig>, SettingsError> {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    for error in &native.errors {
        tracing::debug!(%error, "a certificate of the platform could not be read");
    }
    roots.add_parsable_certificates(native.certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    if !extra_roots.is_empty() {
        let mut found = 0;
        for certificate in CertificateDer::pem_slice_iter(extra_roots) {
            let certificate = certificate.map_err(|error| SettingsError::Roots(error.to_string()))?;
            roots.add(certificate).map_err(|error| SettingsError::Roots(error.to_string()))?;
            found += 1;
        }
        if found == 0 {
            return Err(SettingsError::Roots("there is no certificate in it".into()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SettingsError::Tls(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Shakes hands as a client of `host`.
pub(crate) async fn secure(
    config: &Arc<ClientConfig>,
    host: &str,
    wire: Box<dyn Wire>,
) -> Result<TlsStream<Box<dyn Wire>>, FetchError> {
    let bare = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    let name = ServerName::try_from(bare.to_owned()).map_err(|_| FetchError::Tls {
        host: host.to_owned(),
        why: "its name cannot stand in a certificate".into(),
        certificate: true,
    })?;
    TlsConnector::from(config.clone()).connect(name, wire).await.map_err(|error| {
        let refused = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let (why, certificate) = match refused {
            Some(rustls::Error::InvalidCertificate(error)) => (certificate_sentence(error), true),
            Some(rustls::Error::InvalidMessage(_)) => ("it does not speak TLS there; try http://".into(), false),
            Some(other) => (other.to_string(), false),
            None => (error.to_string(), false),
        };
        FetchError::Tls { host: host.to_owned(), why, certificate }
    })
}

fn certificate_sentence(error: &CertificateError) -> String {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired".into(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet".into()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name".into()
        }
        CertificateError::UnknownIssuer => "its certificate is from an unknown issuer".into(),
        CertificateError::Revoked => "its certificate was revoked".into(),
        other => format!("its certificate is not acceptable ({other})"),
    }
}
