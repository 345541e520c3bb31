//! `agent relay`: a unix socket out here, each connection to which goes on as one to a socket in the host.

use std::fs;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result};
use clap::Args;

use super::channel::{Question, Stream, ask};

#[derive(Args)]
pub struct RelayArgs {
    /// Where the agent listens, if it is not the virtual machine of this network
    #[arg(long)]
    at: Option<PathBuf>,
    /// The folder of the socket out here
    #[arg(long)]
    folder: PathBuf,
    /// Its name, and that of the socket in the host
    #[arg(long)]
    name: String,
    /// The folder of the socket in the host
    #[arg(long)]
    inside: PathBuf,
}

pub fn run(args: &RelayArgs) -> Result<()> {
    let at = args.at.as_deref().map(std::path::absolute).transpose()?;
    // the path of a unix socket must fit into 107 bytes (unix(7))
    std::env::set_current_dir(&args.folder).context("cannot enter the folder")?;
    let _ = fs::remove_file(&args.name);
    let listener = UnixListener::bind(&args.name).context("cannot listen")?;
    let target = args.inside.join(&args.name);
    for client in listener.incoming().flatten() {
        let (target, at) = (target.clone(), at.clone());
        thread::spawn(move || {
            // who cannot be served is hung up on
            if let Ok(server) = ask(at.as_deref(), &Question::Connect(target)) {
                let _ = join(&client, &server);
            }
            let _ = client.shutdown(Shutdown::Both);
        });
    }
    Ok(())
}

fn join(client: &UnixStream, server: &Stream) -> io::Result<()> {
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    io::copy(&mut &*server, &mut &*client).map(drop)
}
