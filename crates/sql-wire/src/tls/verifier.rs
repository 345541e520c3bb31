//! How far a server's certificate is looked at.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    Nothing,
    Chain,
    ChainAndName,
}

#[derive(Debug)]
pub struct Verifier {
    check: Check,
    roots: RootCertStore,
    trusted: Vec<CertificateDer<'static>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    pub fn new(
        check: Check,
        trusted: Vec<CertificateDer<'static>>,
        algorithms: WebPkiSupportedAlgorithms,
    ) -> Result<Verifier, Error> {
        let mut roots = RootCertStore::empty();
        for certificate in &trusted {
            roots.add(certificate.clone())?;
        }
        Ok(Verifier {
            check,
            roots,
            trusted,
            algorithms,
        })
    }

    fn chain(
        &self,
        certificate: &ParsedCertificate,
        server: &CertificateDer,
        intermediates: &[CertificateDer],
        now: UnixTime,
    ) -> Result<(), Error> {
        // A self-signed certificate is its own authority; having been named by the user it is trusted as
        // it is, dates included.
        if self.trusted.iter().any(|trusted| trusted == server) {
            return Ok(());
        }
        verify_server_cert_signed_by_trust_anchor(
            certificate,
            &self.roots,
            intermediates,
            now,
            self.algorithms.all,
        )
    }
}

/// Certificates of X.509 version 1, which some servers make for themselves, cannot be read for their key.
/// They pass if no check was requested.
fn unless_unreadable(
    check: Check,
    result: Result<HandshakeSignatureValid, Error>,
) -> Result<HandshakeSignatureValid, Error> {
    match result {
        Err(Error::InvalidCertificate(reason))
            if check == Check::Nothing && reason != CertificateError::BadSignature =>
        {
            Ok(HandshakeSignatureValid::assertion())
        }
        other => other,
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.check == Check::Nothing {
            return Ok(ServerCertVerified::assertion());
        }
        let certificate = ParsedCertificate::try_from(server)?;
        self.chain(&certificate, server, intermediates, now)?;
        if self.check == Check::ChainAndName {
            verify_server_name(&certificate, name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let result = verify_tls12_signature(message, certificate, signature, &self.algorithms);
        unless_unreadable(self.check, result)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let result = verify_tls13_signature(message, certificate, signature, &self.algorithms);
        unless_unreadable(self.check, result)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
