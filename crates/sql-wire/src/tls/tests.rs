use super::*;
use proptest::prelude::*;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, ErrorKind, Read, Write};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tls/testdata/");

fn file(name: &str) -> PathBuf {
    Path::new(DATA).join(name)
}

/// The server's end of a connection: its TLS, and what is on the way, handed over piece by piece.
struct Server {
    connection: ServerConnection,
    piece: usize,
    /// Every other read finds nothing, as on a slow network.
    idle: bool,
}

impl Server {
    fn new(certificate: &str, key: &str, piece: usize) -> Server {
        let chain = certificates("--tls-ca", &file(certificate)).unwrap();
        let key = PrivateKeyDer::from_pem_file(file(key)).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        Server {
            connection: ServerConnection::new(Arc::new(config)).unwrap(),
            piece,
            idle: false,
        }
    }
}

impl Read for Server {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.idle = !self.idle;
        if self.idle || !self.connection.wants_write() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let room = buffer.len().min(self.piece);
        // As little as is asked for: what TLS would write at once comes in pieces.
        let mut part = &mut buffer[..room];
        let mut limited = Limited(&mut part);
        self.connection.write_tls(&mut limited)
    }
}

struct Limited<'a, 'b>(&'a mut &'b mut [u8]);

impl Write for Limited<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Server {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = &bytes[..bytes.len().min(self.piece)];
        // The server's buffer is full until its decrypted data is read.
        let full = |_| io::Error::from(ErrorKind::WouldBlock);
        let count = self.connection.read_tls(&mut rest).map_err(full)?;
        self.connection
            .process_new_packets()
            .map_err(io::Error::other)?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Shakes hands with a server that shows this certificate.
fn shake(tls: &Tls, host: &str, server: Server) -> Result<TlsStream<Server>, Failure> {
    let mut stream = TlsStream::new(tls.connection(host).unwrap(), server);
    for _ in 0..100_000 {
        if stream.handshake()? {
            return Ok(stream);
        }
    }
    panic!("the handshake does not end");
}

fn outcome(mode: Mode, ca: &str, host: &str, certificate: &str, key: &str) -> Result<(), Failure> {
    let ca = mode.verifies().then(|| file(ca));
    let tls = Tls::new(mode, ca.as_deref()).unwrap();
    shake(&tls, host, Server::new(certificate, key, 4096)).map(drop)
}

#[test]
fn each_mode_checks_what_it_says() {
    use Mode::*;
    let signed = |mode, ca, host| outcome(mode, ca, host, "server.pem", "server.key");
    for mode in [Prefer, Require] {
        assert_eq!(signed(mode, "", "elsewhere"), Ok(()));
        assert_eq!(
            outcome(mode, "", "_no host_", "self.pem", "self.key"),
            Ok(())
        );
    }
    assert_eq!(signed(VerifyCa, "ca.pem", "elsewhere"), Ok(()));
    assert_eq!(signed(VerifyFull, "ca.pem", "db.example"), Ok(()));
    assert_eq!(signed(VerifyFull, "ca.pem", "10.0.0.1"), Ok(()));
    let wrong_name = signed(VerifyFull, "ca.pem", "elsewhere").unwrap_err();
    assert!(wrong_name.message.contains("is for"), "{wrong_name}");
    assert!(wrong_name.message.contains("db.example"), "{wrong_name}");
    assert!(wrong_name.message.contains("'elsewhere'"), "{wrong_name}");
    for mode in [VerifyCa, VerifyFull] {
        let untrusted = signed(mode, "self.pem", "db.example").unwrap_err();
        assert!(untrusted.message.contains("--tls-ca"), "{untrusted}");
        assert_eq!(untrusted.code, "tls_certificate");
        assert!(untrusted.class.permanent());
    }
}

#[test]
fn an_expired_certificate_is_told_apart() {
    let expired = outcome(
        Mode::VerifyCa,
        "ca.pem",
        "db.example",
        "expired.pem",
        "server.key",
    );
    let failure = expired.unwrap_err();
    assert!(failure.message.contains("expired"), "{failure}");
    assert_eq!(
        outcome(Mode::Require, "", "x", "expired.pem", "server.key"),
        Ok(())
    );
}

#[test]
fn a_self_signed_certificate_that_the_user_names_is_trusted() {
    let result = outcome(Mode::VerifyCa, "self.pem", "x", "self.pem", "self.key");
    assert_eq!(result, Ok(()));
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let wrong = |mode, name: &str| Tls::new(mode, Some(&file(name))).err().unwrap();
    assert!(wrong(Mode::VerifyCa, "missing.pem").contains("missing.pem"));
    assert!(wrong(Mode::VerifyCa, "README.md").contains("no certificate"));
    assert!(wrong(Mode::Require, "ca.pem").contains("verify-ca"));
}

#[test]
fn what_is_no_host_name_cannot_be_verified() {
    let tls = Tls::new(Mode::VerifyFull, Some(&file("ca.pem"))).unwrap();
    assert!(
        tls.connection("not a host")
            .err()
            .unwrap()
            .message
            .contains("not a host")
    );
}

/// Sends a request and reads the reply through TLS, in pieces, with pauses at every place.
fn exchange(request: &[u8], reply: &[u8], piece: usize, room: usize) {
    let tls = Tls::new(Mode::Require, None).unwrap();
    let mut stream = shake(&tls, "x", Server::new("server.pem", "server.key", piece)).unwrap();
    assert_eq!(stream.version(), Some("TLSv1.3"));
    assert!(!stream.certificate().is_empty());
    let mut rest = request;
    let mut heard: Vec<u8> = Vec::new();
    let mut buffer = vec![0; room];
    while heard.len() < request.len() {
        match stream.write(rest) {
            Ok(count) => rest = &rest[count..],
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        let server = stream.socket_mut();
        let mut part = [0; 1000];
        while let Ok(count) = server.connection.reader().read(&mut part) {
            heard.extend(&part[..count]);
        }
    }
    assert_eq!(heard, request);
    let mut said = 0;
    let mut got: Vec<u8> = Vec::new();
    while got.len() < reply.len() {
        let server = stream.socket_mut();
        said += server.connection.writer().write(&reply[said..]).unwrap();
        match stream.read(&mut buffer) {
            Ok(count) => got.extend(&buffer[..count]),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
    assert_eq!(got, reply);
}

#[test]
fn nothing_stays_behind_in_the_buffers() {
    exchange(&[1; 200_000], &[2; 200_000], 5000, 64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The pieces in which bytes travel make no difference.
    #[test]
    fn pieces_do_not_matter(
        request in prop::collection::vec(any::<u8>(), 1..3000),
        reply in prop::collection::vec(any::<u8>(), 1..3000),
        piece in 1usize..600,
        room in 1usize..600,
    ) {
        exchange(&request, &reply, piece, room);
    }
}

/// A server that answers everything with these bytes, then is silent or hangs up.
struct Babbler {
    bytes: Vec<u8>,
    given: usize,
    hangs_up: bool,
}

impl Read for Babbler {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = &self.bytes[self.given..];
        if rest.is_empty() && !self.hangs_up {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = rest.read(buffer)?;
        self.given += count;
        Ok(count)
    }
}

impl Write for Babbler {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

proptest! {
    /// Nonsense instead of TLS is an error or a wait for more, at once and without harm.
    #[test]
    fn survives_any_bytes(
        looks_like_tls in any::<bool>(),
        tail in prop::collection::vec(any::<u8>(), 0..300),
        hangs_up in any::<bool>(),
    ) {
        let mut bytes = match looks_like_tls {
            true => vec![0x16, 3, 3, 0, tail.len() as u8, 2],
            false => Vec::new(),
        };
        bytes.extend(tail);
        let tls = Tls::new(Mode::Require, None).unwrap();
        let babbler = Babbler { bytes, given: 0, hangs_up };
        let mut stream = TlsStream::new(tls.connection("x").unwrap(), babbler);
        match stream.handshake() {
            Ok(done) => prop_assert!(!done && !hangs_up),
            Err(error) => {
                let failure = Failure::from(error);
                prop_assert!(!failure.message.is_empty());
            }
        }
    }
}

#[test]
fn an_answer_that_is_no_tls_is_called_so() {
    let tls = Tls::new(Mode::Require, None).unwrap();
    let babbler = Babbler {
        bytes: b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        given: 0,
        hangs_up: false,
    };
    let mut stream = TlsStream::new(tls.connection("x").unwrap(), babbler);
    let failure = Failure::from(stream.handshake().unwrap_err());
    assert_eq!(
        (failure.class, failure.code.as_str()),
        (Class::Connection, "tls")
    );
    assert!(failure.message.contains("not TLS"), "{failure}");
}
