//! Sets a virtual machine up as a host: root, devices, network, disk.
//!
//! Its kernel's root consists of the host's files (hostfs). Writes to the root go to memory, so a power loss
//! discards them. Only data on the disk persists.

use std::fs;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Args;
use nix::mount::{MsFlags, mount};
use nix::unistd::{chdir, pivot_root, sethostname};

use super::paths::{MACHINE, NODE};
use super::tap::{check, request};
use super::{delay, disk, modules};
use crate::agent::channel::{AGENT, MASK};

const NONE: Option<&str> = None;

#[derive(Args)]
pub struct AgentArgs {
    #[arg(long)]
    name: String,
    #[arg(long)]
    address: Ipv4Addr,
    #[arg(long)]
    mask: Ipv4Addr,
    /// Mount its disk as its data folder; otherwise leave the disk unused
    #[arg(long)]
    disk: bool,
    /// Support delayed flushes of its disk
    #[arg(long)]
    delayed: bool,
    /// Modules to load, with their dependencies before them
    #[arg(long)]
    module: Vec<String>,
    /// Arguments that the kernel appends to its command line
    #[arg(hide = true)]
    of_the_kernel: Vec<String>,
}

pub fn run(args: &AgentArgs) -> Result<()> {
    modules::load_early("overlay")?;
    change_root()?;
    for name in &args.module {
        modules::load(name)?;
    }
    sethostname(&args.name)?;
    network(args)?;
    for part in ["data", "log", "conf", "run", "secret"] {
        fs::create_dir_all(Path::new(NODE).join(part))?;
    }
    if args.delayed {
        delay::make()?;
    }
    if args.disk {
        let target = Path::new(NODE).join("data");
        disk::mount_on(Path::new(disk::device()), &target)?;
    }
    Ok(())
}

fn change_root() -> Result<()> {
    mount_kind("tmpfs", "/tmp", "mode=755")?;
    for part in ["upper", "work", "new"] {
        fs::create_dir(Path::new("/tmp").join(part))?;
    }
    let options = "lowerdir=/,upperdir=/tmp/upper,workdir=/tmp/work";
    mount_kind("overlay", "/tmp/new", options)?;
    for (kind, folder, options) in [
        ("proc", "proc", ""),
        ("sysfs", "sys", ""),
        ("devtmpfs", "dev", "mode=755"),
        ("devpts", "dev/pts", "ptmxmode=666"),
        ("tmpfs", "dev/shm", "mode=1777"),
        ("tmpfs", "run", "mode=755"),
        ("tmpfs", "tmp", "mode=1777"),
    ] {
        let target = Path::new("/tmp/new").join(folder);
        fs::create_dir_all(&target)?;
        mount_kind(kind, &target.to_string_lossy(), options)?;
    }
    fs::create_dir_all("/tmp/new/run/machine")?;
    pivot_root("/tmp/new", "/tmp/new/run/machine").context("cannot change the root")?;
    chdir("/")?;
    let engine = Path::new(MACHINE).join("run/engine");
    if engine.is_dir() {
        fs::create_dir("/run/engine")?;
        let bind = MsFlags::MS_BIND;
        mount(Some(&engine), "/run/engine", NONE, bind, NONE).context("cannot mount the engine")?;
    }
    for (link, target) in [("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0")] {
        let _ = std::os::unix::fs::symlink(target, Path::new("/dev").join(link));
    }
    Ok(())
}

fn mount_kind(kind: &str, target: &str, options: &str) -> Result<()> {
    mount(
        Some(kind),
        target,
        Some(kind),
        MsFlags::empty(),
        Some(options),
    )
    .with_context(|| format!("cannot mount {kind} on {target}"))
}

fn network(args: &AgentArgs) -> Result<()> {
    up("lo")?;
    rename("vec0", "eth0")?;
    address("eth0", args.address, args.mask)?;
    up("eth0")?;
    rename("vec1", "agent0")?;
    address("agent0", *AGENT.ip(), MASK)?;
    up("agent0")
}

fn ask(number: libc::c_ulong, asked: &mut libc::ifreq, what: &str) -> Result<()> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
    // SAFETY: the request is a valid ifreq that outlives the call.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), number as _, &raw mut *asked) })
        .with_context(|| format!("cannot {what}"))
}

fn rename(device: &str, name: &str) -> Result<()> {
    let mut asked = request(device)?;
    asked.ifr_ifru.ifru_newname = request(name)?.ifr_name;
    ask(
        libc::SIOCSIFNAME,
        &mut asked,
        &format!("call {device} {name}"),
    )
}

fn address(device: &str, address: Ipv4Addr, mask: Ipv4Addr) -> Result<()> {
    for (number, own) in [(libc::SIOCSIFADDR, address), (libc::SIOCSIFNETMASK, mask)] {
        let mut asked = request(device)?;
        // SAFETY: an address of zeros is a valid one.
        let mut place: libc::sockaddr_in = unsafe { std::mem::zeroed() };
        place.sin_family = libc::AF_INET as u16;
        place.sin_addr.s_addr = u32::from(own).to_be();
        // SAFETY: both are addresses of sockets, of the same size.
        asked.ifr_ifru.ifru_addr =
            unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(place) };
        ask(number, &mut asked, &format!("give {device} an address"))?;
    }
    Ok(())
}

fn up(device: &str) -> Result<()> {
    let mut asked = request(device)?;
    asked.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    ask(
        libc::SIOCSIFFLAGS,
        &mut asked,
        &format!("bring {device} up"),
    )
}
