//! Reading and writing MySQL packets. Nothing here trusts a length that came from a server.

const COM_QUERY: u8 = 0x03;

/// Appends one packet; `write` appends its payload.
#[inline]
pub fn frame(out: &mut Vec<u8>, sequence: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0, 0, 0, sequence]);
    write(out);
    let length = (out.len() - start - 4) as u32;
    out[start..start + 3].copy_from_slice(&length.to_le_bytes()[..3]);
}

/// Appends a statement as text, COM_QUERY.
pub fn query(sql: impl AsRef<[u8]>, out: &mut Vec<u8>) {
    frame(out, 0, |out| {
        out.push(COM_QUERY);
        out.extend(sql.as_ref());
    });
}

/// Appends a length-encoded integer.
pub fn append_length(value: usize, out: &mut Vec<u8>) {
    match value {
        0..=250 => out.push(value as u8),
        251..=0xffff => {
            out.push(0xfc);
            out.extend((value as u16).to_le_bytes());
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend(&(value as u32).to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend((value as u64).to_le_bytes());
        }
    }
}

/// Takes fields from the front of a payload; every method is None when the payload is too short.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(payload: &'a [u8]) -> Reader<'a> {
        Reader(payload)
    }

    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.take(2)
            .map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.take(4)
            .map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Bytes up to a zero, which is skipped; all that is left when there is none.
    pub fn text(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|&byte| byte == 0);
        let text = &self.0[..end.unwrap_or(self.0.len())];
        self.0 = &self.0[(text.len() + 1).min(self.0.len())..];
        text
    }

    /// All that is left.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// A length-encoded integer; None also for the NULL mark.
    pub fn length(&mut self) -> Option<u64> {
        let width = match self.byte()? {
            small @ 0..=250 => return Some(u64::from(small)),
            0xfc => 2,
            0xfd => 3,
            0xfe => 8,
            _ => return None,
        };
        let mut bytes = [0; 8];
        bytes[..width].copy_from_slice(self.take(width)?);
        Some(u64::from_le_bytes(bytes))
    }

    /// Affected rows and status of an OK packet.
    pub fn ok(&mut self) -> Option<(u64, u16)> {
        let affected = self.length()?;
        self.length()?; // last insert id
        Some((affected, self.u16()?))
    }

    pub fn status_of_eof(&mut self) -> Option<u16> {
        self.u16()?; // warnings
        self.u16()
    }

    /// Statement number, columns and parameters.
    pub fn prepare_ok(&mut self) -> Option<(u32, u16, u16)> {
        if self.byte()? != 0 {
            return None;
        }
        Some((self.u32()?, self.u16()?, self.u16()?))
    }

    /// Skips the mark of a NULL in a text row; false when something else comes next.
    pub fn skip_null(&mut self) -> bool {
        let is_null = self.0.first() == Some(&0xfb);
        if is_null {
            self.0 = &self.0[1..];
        }
        is_null
    }
}

/// What the server says first.
pub struct Greeting<'a> {
    pub capabilities: u32,
    pub scramble: [u8; 20],
    pub plugin: &'a [u8],
}

impl<'a> Greeting<'a> {
    pub fn read(payload: &'a [u8]) -> Option<Greeting<'a>> {
        let mut reader = Reader::new(payload);
        if reader.byte()? != 10 {
            return None;
        }
        reader.text(); // version
        reader.u32()?; // thread
        let mut scramble = [0; 20];
        scramble[..8].copy_from_slice(reader.take(8)?);
        reader.byte()?;
        let low = reader.u16()?;
        reader.take(3)?; // character set, status
        let high = reader.u16()?;
        reader.byte()?; // length of the scramble, always 21
        reader.take(10)?;
        scramble[8..].copy_from_slice(reader.take(12)?);
        reader.byte();
        Some(Greeting {
            capabilities: u32::from(low) | u32::from(high) << 16,
            scramble,
            plugin: reader.text(),
        })
    }
}
