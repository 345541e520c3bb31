//! `agent relay`: forwards connections to a local unix socket to a socket in the host.

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
    /// Socket of the agent. Default: the virtual machine in this network
    #[arg(long)]
    at: Option<PathBuf>,
    /// Folder of the local socket
    #[arg(long)]
    folder: PathBuf,
    /// Name of the local socket and of the socket in the host
    #[arg(long)]
    name: String,
    /// Folder of the socket in the host
    #[arg(long)]
    inside: PathBuf,
}

pub fn run(args: &RelayArgs) -> Result<()> {
    let at = args.at.as_deref().map(std::path::absolute).transpose()?;
    // the path of a unix socket must fit into 107 bytes (unix(7))
    std::env::set_current_dir(&args.folder).context("cannot change to the folder of the socket")?;
    let _ = fs::remove_file(&args.name);
    let listener = UnixListener::bind(&args.name).context("cannot listen")?;
    let target = args.inside.join(&args.name);
    for client in listener.incoming().flatten() {
        let (target, at) = (target.clone(), at.clone());
        thread::spawn(move || {
            // A client that cannot be served is disconnected.
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
