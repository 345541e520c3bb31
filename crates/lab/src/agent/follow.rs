//! `agent follow`: copies new lines of a host's logs to local files of the same names.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use super::channel::{Kind, Question, Stream, ask, receive, send};
use super::files::lengths;

/// Interval at which logs are read; new text arrives within this time.
const PERIOD: Duration = Duration::from_millis(50);

/// Maximum size of a piece of a file in a frame.
const PIECE: u64 = 1 << 18;

#[derive(Args)]
pub struct FollowArgs {
    /// Socket of the agent
    #[arg(long)]
    at: PathBuf,
    /// Local folder for the logs
    #[arg(long)]
    folder: PathBuf,
}

pub fn run(args: &FollowArgs) -> Result<()> {
    let mut stream = ask(Some(&args.at), &Question::Follow)?;
    while let Ok((kind, data)) = receive(&mut stream) {
        if kind != Kind::Output {
            continue;
        }
        let (name, text) = parts(&data).context("invalid frame with a piece of a log")?;
        let file = args.folder.join(name);
        fs::create_dir_all(file.parent().unwrap_or(&args.folder))?;
        let mut file = OpenOptions::new().create(true).append(true).open(file)?;
        file.write_all(text)?;
    }
    Ok(())
}

/// Sends the contents of logs and all new text until the client disconnects.
pub fn tell(logs: &Path, stream: &Stream) -> io::Result<()> {
    let mut known: HashMap<PathBuf, u64> = HashMap::new();
    loop {
        for (path, length) in lengths(logs).unwrap_or_default() {
            let sent = known.entry(path.clone()).or_default();
            // The log was truncated or replaced.
            if length < *sent {
                *sent = 0;
            }
            while *sent < length {
                let text = piece(&path, *sent)?;
                if text.is_empty() {
                    break;
                }
                *sent += text.len() as u64;
                let name = path.strip_prefix(logs).unwrap_or(&path);
                let mut data = name.as_os_str().as_bytes().to_vec();
                data.push(0);
                data.extend(text);
                send(&mut &*stream, Kind::Output, &data)?;
            }
        }
        // Detects a client that has disconnected while no log grows.
        send(&mut &*stream, Kind::Answer, &[])?;
        sleep(PERIOD);
    }
}

fn piece(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let Ok(mut file) = File::open(path) else {
        // it may go while one looks
        return Ok(text);
    };
    file.seek(SeekFrom::Start(from))?;
    file.take(PIECE).read_to_end(&mut text)?;
    Ok(text)
}

fn parts(data: &[u8]) -> Option<(PathBuf, &[u8])> {
    let end = data.iter().position(|one| *one == 0)?;
    let name = std::ffi::OsString::from_vec(data[..end].to_vec());
    Some((PathBuf::from(name), &data[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_a_log_has_a_name() {
        let (name, text) = parts(b"below/a.log\0one\0two").unwrap();
        assert_eq!(
            (name.to_str(), text),
            (Some("below/a.log"), &b"one\0two"[..])
        );
        assert!(parts(b"no name").is_none());
    }
}
