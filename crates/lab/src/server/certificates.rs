//! Certificates: an authority made at start, and one certificate per host, made when first asked for.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::{CertifiedKey, SigningKey};

use crate::Answers;
use crate::host::{Certificate, DOMAIN};

/// Answers each name with its certificate.
pub(crate) struct Certificates<W> {
    web: Arc<W>,
    authority: CertifiedIssuer<'static, KeyPair>,
    /// All hosts share one key: making keys is what takes time.
    key: KeyPair,
    signing: Arc<dyn SigningKey>,
    made: Mutex<LruCache<String, Arc<CertifiedKey>>>,
}

const KEPT: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

impl<W: Answers> Certificates<W> {
    pub fn new(web: Arc<W>) -> io::Result<Self> {
        let mut params = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
        params.distinguished_name.push(DnType::CommonName, "Lab web authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authority_key = KeyPair::generate().map_err(io::Error::other)?;
        let authority = CertifiedIssuer::self_signed(params, authority_key).map_err(io::Error::other)?;
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let der = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let signing = any_supported_type(&der).map_err(io::Error::other)?;
        Ok(Self { web, authority, key, signing, made: Mutex::new(LruCache::new(KEPT)) })
    }

    /// The authority's certificate, for clients to trust.
    pub fn authority_pem(&self) -> String {
        self.authority.pem()
    }

    fn certificate(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.get(name) {
            return Some(known.clone());
        }
        let der = self.sign(name, self.web.certificate(name)?).ok()?;
        let certified = Arc::new(CertifiedKey::new(vec![der], self.signing.clone()));
        made.put(name.to_owned(), certified.clone());
        Some(certified)
    }

    fn sign(&self, name: &str, kind: Certificate) -> Result<CertificateDer<'static>, rcgen::Error> {
        let subject = match kind {
            Certificate::WrongName => format!("elsewhere.{DOMAIN}"),
            _ => name.to_owned(),
        };
        let mut params = CertificateParams::new(vec![subject.clone()])?;
        params.distinguished_name.push(DnType::CommonName, subject);
        params.not_before = date_time_ymd(2015, 1, 1);
        params.not_after =
            if kind == Certificate::Expired { date_time_ymd(2020, 1, 1) } else { date_time_ymd(2090, 1, 1) };
        Ok(params.signed_by(&self.key, &self.authority)?.der().clone())
    }
}

impl<W> fmt::Debug for Certificates<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Certificates")
    }
}

impl<W: Answers> ResolvesServerCert for Certificates<W> {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.certificate(&hello.server_name()?.to_ascii_lowercase())
    }
}
