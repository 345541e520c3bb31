//! What a frame is on the wire. A packet socket hands over large frames that the sender's kernel has left to
//! be segmented later (virtio-net header in front); they count as the frames that they stand for.

/// Bytes of the virtio-net header that stands before each frame.
pub const HEADER: usize = 10;

/// A header and the largest frame that a device can hand over.
pub const LARGEST: usize = HEADER + 14 + 65_536;

const ETHERNET: usize = 14;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const TCP: u8 = 6;

/// How many frames a handed-over frame is on the wire, and how many bytes they have together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    pub frames: u64,
    pub bytes: u64,
}

/// Reads `frame`, which begins with its virtio-net header; None if it is too short to be one.
pub fn wire(frame: &[u8]) -> Option<Wire> {
    let data = frame.get(HEADER..)?;
    if data.len() < ETHERNET {
        return None;
    }
    let whole = Wire {
        frames: 1,
        bytes: data.len() as u64,
    };
    let segment = u64::from(u16::from_le_bytes([frame[4], frame[5]]));
    if frame[1] == 0 || segment == 0 {
        return Some(whole);
    }
    let headers = header_bytes(data) as u64;
    let payload = whole.bytes.saturating_sub(headers);
    let frames = payload.div_ceil(segment).max(1);
    Some(Wire {
        frames,
        bytes: whole.bytes + (frames - 1) * headers,
    })
}

pub fn target(frame: &[u8]) -> [u8; 6] {
    address(frame, HEADER)
}

pub fn source(frame: &[u8]) -> [u8; 6] {
    address(frame, HEADER + 6)
}

fn address(frame: &[u8], at: usize) -> [u8; 6] {
    let mut found = [0; 6];
    found.copy_from_slice(&frame[at..at + 6]);
    found
}

/// Bytes before the payload: of Ethernet, IP, and TCP or UDP. Every segment repeats them.
fn header_bytes(data: &[u8]) -> usize {
    let at = |index: usize| usize::from(data.get(index).copied().unwrap_or(0));
    let (internet, protocol) = match u16::from_be_bytes([data[12], data[13]]) {
        IPV4 => ((at(ETHERNET) & 0xf) * 4, at(ETHERNET + 9) as u8),
        IPV6 => (40, at(ETHERNET + 6) as u8),
        _ => return ETHERNET,
    };
    let transport = match protocol {
        TCP => (at(ETHERNET + internet + 12) >> 4) * 4,
        _ => 8,
    };
    ETHERNET + internet + transport
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(payload: usize, segment: u16, header: usize) -> Vec<u8> {
        let mut frame = vec![0; HEADER + ETHERNET + 20 + header + payload];
        frame[1] = u8::from(segment > 0);
        frame[4..6].copy_from_slice(&segment.to_le_bytes());
        let data = &mut frame[HEADER..];
        data[12..14].copy_from_slice(&IPV4.to_be_bytes());
        data[ETHERNET] = 0x45;
        data[ETHERNET + 9] = TCP;
        data[ETHERNET + 20 + 12] = (header as u8 / 4) << 4;
        frame
    }

    #[test]
    fn a_plain_frame_is_one_with_its_bytes() {
        assert_eq!(
            wire(&tcp(1000, 0, 32)),
            Some(Wire {
                frames: 1,
                bytes: 1066
            })
        );
        assert_eq!(wire(&[0; HEADER + 13]), None);
        assert_eq!(wire(&[0; 3]), None);
    }

    #[test]
    fn a_large_frame_repeats_its_headers() {
        let headers = 14 + 20 + 32;
        let found = wire(&tcp(3000, 1448, 32)).unwrap();
        assert_eq!(
            found,
            Wire {
                frames: 3,
                bytes: 3000 + 3 * headers
            }
        );
        assert_eq!(wire(&tcp(1448, 1448, 32)).unwrap().frames, 1);
    }

    #[test]
    fn addresses_are_read() {
        let mut frame = vec![0; HEADER + 14];
        frame[HEADER + 5] = 7;
        frame[HEADER + 11] = 9;
        assert_eq!(target(&frame), [0, 0, 0, 0, 0, 7]);
        assert_eq!(source(&frame), [0, 0, 0, 0, 0, 9]);
    }
}
