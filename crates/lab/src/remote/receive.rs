//! `remote receive`: unpacks an archive from standard input with tar and prints its digest at the end.

use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::Args;
use sha2::{Digest, Sha256};

#[derive(Args)]
pub struct ReceiveArgs {
    /// The folder to unpack into; what is there is removed first
    #[arg(long)]
    into: PathBuf,
}

pub fn run(args: &ReceiveArgs) -> Result<()> {
    let _ = fs::remove_dir_all(&args.into);
    fs::create_dir_all(&args.into).context("cannot make the folder")?;
    let mut tar = Command::new("tar")
        .args([
            "--extract",
            "--numeric-owner",
            "--preserve-permissions",
            "--file=-",
        ])
        .current_dir(&args.into)
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot run tar")?;
    let digest = pass_on(io::stdin(), tar.stdin.take().context("no input of tar")?)?;
    let status = tar.wait()?;
    anyhow::ensure!(status.success(), "tar ended with {status}");
    println!("{digest}");
    Ok(())
}

fn pass_on(mut from: impl Read, mut to: impl Write) -> Result<String> {
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let size = from.read(&mut buffer)?;
        if size == 0 {
            return Ok(digest
                .finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect());
        }
        digest.update(&buffer[..size]);
        to.write_all(&buffer[..size])
            .context("tar does not read its input")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_of_all_that_was_passed_on() {
        let mut to = Vec::new();
        let digest = pass_on(&b"abc"[..], &mut to).unwrap();
        assert_eq!(to, b"abc");
        assert!(digest.starts_with("ba7816bf8f01cfea"), "{digest}");
    }
}
