//! COPY FROM STDIN: rows in bulk, within the simple query protocol.

use super::message::frame;

/// Rows per message: large enough to cost nothing, small compared with the server's buffers.
const PIECE: usize = 64 * 1024;

/// Appends the answer to CopyInResponse: all data, then CopyDone.
///
/// A server that refuses a row goes on reading to CopyDone, so all can be sent without looking at replies.
pub fn send(data: &[u8], out: &mut Vec<u8>) {
    out.reserve(data.len() + data.len() / PIECE * 5 + 16);
    for piece in data.chunks(PIECE) {
        frame(out, b'd', |out| out.extend_from_slice(piece));
    }
    frame(out, b'c', |_| {});
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_goes_in_pieces_and_ends() {
        let data = vec![b'x'; PIECE + 3];
        let mut out = Vec::new();
        send(&data, &mut out);
        assert_eq!(out[..5], [b'd', 0, 1, 0, 4]);
        assert_eq!(out[PIECE + 5..], *b"d\0\0\0\x07xxxc\0\0\0\x04");
        out.clear();
        send(b"", &mut out);
        assert_eq!(out, b"c\0\0\0\x04");
    }
}
