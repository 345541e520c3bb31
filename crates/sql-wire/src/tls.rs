//! Encryption of a connection: whether, and whom to trust.
//!
//! The modes are libpq's `sslmode` without `allow`. A session says when the transport is to be upgraded
//! (`Event::StartTls`); who owns the transport does it with the `TlsStream` of this module.

mod stream;
mod verifier;

pub use stream::TlsStream;

use crate::failure::{Class, Failure};
use rustls::client::Resumption;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, IpAddr, Ipv4Addr, PrivateKeyDer, ServerName};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, ClientConnection, Error};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use verifier::{Check, Verifier};

/// Where distributions keep the authorities that the machine trusts.
const MACHINE_AUTHORITIES: [&str; 3] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// Never encrypt.
    Disable,
    /// Encrypt when the server offers it, without checking its certificate.
    Prefer,
    /// Insist on encryption, without checking the certificate.
    Require,
    /// Insist, and check that a trusted authority signed the certificate.
    VerifyCa,
    /// The same, and that the certificate is for the host connected to.
    VerifyFull,
}

impl Mode {
    pub fn verifies(self) -> bool {
        matches!(self, Mode::VerifyCa | Mode::VerifyFull)
    }
}

/// How to encrypt. Clones share the configuration.
#[derive(Clone)]
pub struct Tls {
    pub mode: Mode,
    config: Option<Arc<ClientConfig>>,
}

/// The user's TLS settings in addition to the mode.
#[derive(Clone, Copy, Default)]
pub struct Files<'a> {
    /// PEM file of whom to trust; none: whom the machine trusts.
    pub authorities: Option<&'a Path>,
    /// PEM files of the certificate that this client shows, and of its key.
    pub identity: Option<(&'a Path, &'a Path)>,
    /// The handshake names PostgreSQL's protocol (ALPN), which direct TLS asks for.
    pub names_protocol: bool,
}

/// The name of PostgreSQL's protocol in a handshake. Source: PostgreSQL 17 manual, "SSL Session Encryption".
const POSTGRESQL: &[u8] = b"postgresql";

impl Tls {
    pub fn off() -> Tls {
        Tls {
            mode: Mode::Disable,
            config: None,
        }
    }

    /// The same as `configured` with no more than whom to trust.
    pub fn new(mode: Mode, authorities: Option<&Path>) -> Result<Tls, String> {
        let files = Files {
            authorities,
            ..Files::default()
        };
        Tls::configured(mode, &files)
    }

    /// The error is of the user's making: a file that cannot be used, or one that would not be used.
    pub fn configured(mode: Mode, files: &Files) -> Result<Tls, String> {
        let authorities = files.authorities;
        if authorities.is_some() && !mode.verifies() {
            return Err("--tls-ca needs --tls verify-ca or verify-full".to_string());
        }
        let check = match mode {
            Mode::Disable => return Ok(Tls::off()),
            Mode::Prefer | Mode::Require => Check::Nothing,
            Mode::VerifyCa => Check::Chain,
            Mode::VerifyFull => Check::ChainAndName,
        };
        let trusted = match (mode.verifies(), authorities) {
            (false, _) => Vec::new(),
            (true, Some(file)) => certificates("--tls-ca", file)?,
            (true, None) => certificates("--tls-ca", &machine_authorities()?)?,
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Verifier::new(check, trusted, provider.signature_verification_algorithms)
            .map_err(|error| format!("--tls-ca: {error}"))?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match files.identity {
            None => builder.with_no_client_auth(),
            Some(files) => builder.with_client_cert_resolver(Arc::new(identity(files)?)),
        };
        if files.names_protocol {
            config.alpn_protocols = vec![POSTGRESQL.to_vec()];
        }
        // The database clients of the lab do not resume sessions: each connect pays in full.
        config.resumption = Resumption::disabled();
        Ok(Tls {
            mode,
            config: Some(Arc::new(config)),
        })
    }

    /// A handshake with this host (a name or an address) that has not begun.
    pub fn connection(&self, host: &str) -> Result<ClientConnection, Failure> {
        let config = self
            .config
            .clone()
            .ok_or_else(|| Failure::protocol("TLS, which was not asked for"))?;
        let name = match ServerName::try_from(host.to_string()) {
            Ok(name) => name,
            Err(_) if self.mode == Mode::VerifyFull => {
                let message = format!("no certificate can be for '{host}': not a host name");
                return Err(Failure::new(Class::Authentication, "tls", message));
            }
            // Only used to tell the server which name is meant, which an address does not do.
            Err(_) => ServerName::IpAddress(IpAddr::V4(Ipv4Addr::from([0, 0, 0, 0]))),
        };
        ClientConnection::new(config, name).map_err(|error| Failure::from(&error))
    }
}

fn machine_authorities() -> Result<PathBuf, String> {
    let named = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    named
        .into_iter()
        .chain(MACHINE_AUTHORITIES.map(PathBuf::from))
        .find(|file| file.exists())
        .ok_or_else(|| {
            "this machine has no list of trusted authorities: name a PEM file by --tls-ca"
                .to_string()
        })
}

/// What this client shows. Certificates of X.509 version 1, as openssl makes them where nothing else is asked, cannot
/// be read for their key: whether such a pair matches is for the server to find out.
fn identity((certificate, key): (&Path, &Path)) -> Result<SingleCertAndKey, String> {
    let wrong = |error: Error| format!("--tls-cert {}: {error}", certificate.display());
    let signing = any_supported_type(&private_key(key)?)
        .map_err(|error| format!("--tls-key {}: {error}", key.display()))?;
    let pair = CertifiedKey::new(certificates("--tls-cert", certificate)?, signing);
    match pair.keys_match() {
        Err(error @ Error::InconsistentKeys(_)) => Err(wrong(error)),
        _ => Ok(SingleCertAndKey::from(pair)),
    }
}

/// An encrypted key is refused, as there is no prompt for its password.
fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, String> {
    let wrong = |why: String| format!("--tls-key {}: {why}", file.display());
    let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8_lossy(&bytes);
    if text.contains("ENCRYPTED") {
        return Err(wrong(
            "the key is encrypted: decrypt it by `openssl pkey -in KEY -out PLAIN` and name that file"
                .to_string(),
        ));
    }
    PrivateKeyDer::from_pem_slice(&bytes)
        .map_err(|_| wrong("holds no private key in PEM form".to_string()))
}

fn certificates(option: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |why: String| format!("{option} {}: {why}", file.display());
    let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(format!("not a PEM file: {error}")))?;
    match found.is_empty() {
        true => Err(wrong("holds no certificate in PEM form".to_string())),
        false => Ok(found),
    }
}

/// The server does not encrypt and the user insists.
pub fn not_offered() -> Failure {
    Failure::new(
        Class::Authentication,
        "no_tls",
        "the server offers no TLS: set it up there, or use --tls prefer or disable",
    )
}

#[cfg(test)]
mod tests;
