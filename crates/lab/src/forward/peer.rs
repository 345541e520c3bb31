//! Finds the user of the program at the other end of a connection on this machine.
//!
//! Ports on 127.0.0.1 can be reached by every account, and the password of a server is then all that stands
//! between. The kernel knows the user of every socket, and says it by its socket diagnostics (sock_diag(7)):
//! the client's end is the one that has our ends swapped.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const NLMSG_ERROR: u16 = 2;
/// nlmsghdr, and struct inet_diag_req_v2.
const REQUEST: usize = 16 + 56;
/// Of idiag_uid in an answer: behind nlmsghdr, four bytes, inet_diag_sockid and three numbers.
const USER_AT: usize = 16 + 4 + 48 + 12;

/// Why a connection is not taken.
#[derive(Debug)]
pub enum Refusal {
    Stranger(u32),
    /// The user cannot be determined.
    Unknown(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Stranger(user) => write!(to, "a program of user id {user} connected"),
            Refusal::Unknown(error) => {
                write!(
                    to,
                    "cannot determine the user of the connecting program: {error}"
                )
            }
        }
    }
}

/// Asks the kernel; the diagnostics' socket decides which network is meant.
#[derive(Clone)]
pub struct Owners {
    diagnostics: Arc<Mutex<std::fs::File>>,
    user: u32,
}

impl Owners {
    pub fn new(diagnostics: OwnedFd, user: u32) -> Owners {
        Owners {
            diagnostics: Arc::new(Mutex::new(diagnostics.into())),
            user,
        }
    }

    /// Accepts only programs of our user and of root.
    pub fn require_ours(&self, client: SocketAddr, accepted: &TcpStream) -> Result<(), Refusal> {
        let here = accepted.local_addr().map_err(Refusal::Unknown)?;
        match self.user_of(client, here).map_err(Refusal::Unknown)? {
            user if user == self.user || user == 0 => Ok(()),
            user => Err(Refusal::Stranger(user)),
        }
    }

    /// Whether the program of a client has closed its socket, and not only ended the direction to us.
    pub fn have_hung_up(&self, client: SocketAddr, accepted: &TcpStream) -> bool {
        let owner = accepted
            .local_addr()
            .and_then(|here| self.user_of(client, here));
        owner.is_err()
    }

    fn user_of(&self, from: SocketAddr, to: SocketAddr) -> io::Result<u32> {
        let request = request(from, to)?;
        // a panic while it was held has broken nothing
        let mut socket = self
            .diagnostics
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        socket.write_all(&request)?;
        let mut answer = [0; 4096];
        let count = socket.read(&mut answer)?;
        user_in(&answer[..count])
    }
}

/// The question for one socket, by its own end and the other one (struct inet_diag_req_v2).
fn request(own: SocketAddr, other: SocketAddr) -> io::Result<[u8; REQUEST]> {
    let (SocketAddr::V4(own), SocketAddr::V4(other)) = (own, other) else {
        return Err(io::Error::other("it is not of IPv4"));
    };
    let mut bytes = [0; REQUEST];
    bytes[0..4].copy_from_slice(&(REQUEST as u32).to_ne_bytes());
    bytes[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&NLM_F_REQUEST.to_ne_bytes());
    bytes[16] = libc::AF_INET as u8;
    bytes[17] = libc::IPPROTO_TCP as u8;
    // in any state
    bytes[20..24].copy_from_slice(&u32::MAX.to_ne_bytes());
    bytes[24..26].copy_from_slice(&own.port().to_be_bytes());
    bytes[26..28].copy_from_slice(&other.port().to_be_bytes());
    bytes[28..32].copy_from_slice(&own.ip().octets());
    bytes[44..48].copy_from_slice(&other.ip().octets());
    // any device; no cookie
    bytes[64..72].fill(0xff);
    Ok(bytes)
}

fn user_in(answer: &[u8]) -> io::Result<u32> {
    let number = |at: usize| {
        let bytes = answer.get(at..at + 4).and_then(|four| four.try_into().ok());
        bytes
            .map(u32::from_ne_bytes)
            .ok_or(io::ErrorKind::UnexpectedEof)
    };
    let kind = number(4)? as u16;
    if kind == NLMSG_ERROR {
        return Err(io::Error::from_raw_os_error(
            (number(16)? as i32).wrapping_neg(),
        ));
    }
    let (user, inode) = (number(USER_AT)?, number(USER_AT + 4)?);
    // The program has closed the socket: then the kernel also reports user id 0, which is root's.
    if inode == 0 {
        return Err(io::Error::other("it has hung up"));
    }
    Ok(user)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::os::fd::FromRawFd;

    fn diagnostics() -> OwnedFd {
        const OF_SOCKETS: i32 = 4;
        // SAFETY: no pointers are passed; the descriptor is checked before it is owned.
        unsafe {
            let fd = libc::socket(
                libc::AF_NETLINK,
                libc::SOCK_RAW | libc::SOCK_CLOEXEC,
                OF_SOCKETS,
            );
            assert!(fd >= 0, "{}", io::Error::last_os_error());
            OwnedFd::from_raw_fd(fd)
        }
    }

    fn this_user() -> u32 {
        nix::unistd::getuid().as_raw()
    }

    pub fn of_this_user() -> Owners {
        Owners::new(diagnostics(), this_user())
    }

    #[test]
    fn the_user_of_a_connection_is_known() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, from) = listener.accept().unwrap();
        let owners = of_this_user();
        owners.require_ours(from, &accepted).unwrap();
        let to = listener.local_addr().unwrap();
        assert_eq!(owners.user_of(from, to).unwrap(), this_user());
        drop(client);
    }

    #[test]
    fn a_connection_that_is_not_there_belongs_to_nobody() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let other = SocketAddr::from(([127, 0, 0, 2], 9));
        assert!(of_this_user().user_of(other, here).is_err());
    }

    #[test]
    fn a_connection_that_was_hung_up_is_not_taken_for_roots() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        drop(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        let (accepted, from) = listener.accept().unwrap();
        assert!(of_this_user().require_ours(from, &accepted).is_err());
    }

    #[test]
    fn a_stranger_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, from) = listener.accept().unwrap();
        if this_user() != 0 {
            let owners = Owners::new(diagnostics(), this_user() + 1);
            let refusal = owners.require_ours(from, &accepted).unwrap_err();
            assert!(matches!(refusal, Refusal::Stranger(user) if user == this_user()));
        }
    }
}
