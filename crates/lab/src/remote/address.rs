//! `remote address`: gives this machine a further address, or takes it back. Machines of its network that know
//! the address learn where it is now, by a gratuitous ARP request (RFC 5944, section 4.6; RFC 826).

use std::mem::zeroed;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use serde::Deserialize;

/// So many are sent: none is acknowledged.
const ANNOUNCED: usize = 3;

#[derive(Args)]
pub struct AddressArgs {
    /// What to do; neither fails where it has been done before
    #[arg(value_enum)]
    what: What,
    /// The further address
    #[arg(long)]
    address: Ipv4Addr,
    /// This machine's own address: the further one gets the same network device and prefix
    #[arg(long)]
    own: Ipv4Addr,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    Give,
    Take,
}

/// A network device, as `ip -json addr show` describes it.
#[derive(Deserialize)]
struct Device {
    ifname: String,
    ifindex: i32,
    #[serde(default)]
    link_type: String,
    #[serde(default)]
    address: String,
    addr_info: Vec<Own>,
}

#[derive(Deserialize)]
struct Own {
    local: IpAddr,
    prefixlen: u8,
}

pub fn run(args: &AddressArgs) -> Result<()> {
    let (device, prefix) = device_of(args.own)?;
    let with_prefix = format!("{}/{prefix}", args.address);
    match args.what {
        What::Give => {
            ip(&["addr", "replace", &with_prefix, "dev", &device.ifname])?;
            announce(&device, args.address)
        }
        What::Take => match device_of(args.address) {
            Ok(_) => ip(&["addr", "del", &with_prefix, "dev", &device.ifname]).map(drop),
            Err(_) => Ok(()),
        },
    }
}

fn device_of(own: Ipv4Addr) -> Result<(Device, u8)> {
    let listed = ip(&["-json", "addr", "show"])?;
    let devices: Vec<Device> = serde_json::from_str(&listed).context("unknown output of ip")?;
    for device in devices {
        let found = device
            .addr_info
            .iter()
            .find(|one| one.local == IpAddr::V4(own));
        if let Some(prefix) = found.map(|one| one.prefixlen) {
            return Ok((device, prefix));
        }
    }
    bail!("no network device has the address {own}")
}

fn ip(words: &[&str]) -> Result<String> {
    let done = Command::new("ip")
        .args(words)
        .output()
        .context("cannot run ip")?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(
        done.status.success(),
        "ip {}: {}",
        words.join(" "),
        said.trim()
    );
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

fn announce(device: &Device, address: Ipv4Addr) -> Result<()> {
    if device.link_type != "ether" {
        return Ok(());
    }
    let hardware = hardware_address(&device.address)
        .with_context(|| format!("{} is no Ethernet address", device.address))?;
    let frame = gratuitous(hardware, address);
    // SAFETY: plain numbers; the descriptor is ours alone.
    let socket = unsafe {
        let made = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0);
        ensure!(made >= 0, std::io::Error::last_os_error());
        OwnedFd::from_raw_fd(made)
    };
    // SAFETY: a structure of zeros is a valid one.
    let mut to: libc::sockaddr_ll = unsafe { zeroed() };
    to.sll_family = libc::AF_PACKET as u16;
    to.sll_ifindex = device.ifindex;
    to.sll_halen = 6;
    to.sll_addr[..6].copy_from_slice(&[0xff; 6]);
    for _ in 0..ANNOUNCED {
        // SAFETY: both outlive the call, with their true lengths.
        let sent = unsafe {
            libc::sendto(
                socket.as_raw_fd(),
                frame.as_ptr().cast(),
                frame.len(),
                0,
                (&raw const to).cast(),
                size_of_val(&to) as u32,
            )
        };
        ensure!(sent >= 0, std::io::Error::last_os_error());
    }
    Ok(())
}

/// The six bytes of an address such as 02:00:00:00:00:01.
fn hardware_address(text: &str) -> Option<[u8; 6]> {
    let bytes: Option<Vec<u8>> = text
        .split(':')
        .map(|byte| u8::from_str_radix(byte, 16).ok())
        .collect();
    bytes?.try_into().ok()
}

/// An Ethernet frame to all: an ARP request for an address by its holder.
fn gratuitous(hardware: [u8; 6], address: Ipv4Addr) -> Vec<u8> {
    // Ethernet and IPv4, with addresses of 6 and 4 bytes; 1: a request
    const HEADER: [u8; 8] = [0, 1, 8, 0, 6, 4, 0, 1];
    let mut frame = vec![0xff; 6];
    frame.extend(hardware);
    frame.extend([8, 6]);
    frame.extend(HEADER);
    frame.extend(hardware);
    frame.extend(address.octets());
    frame.extend([0; 6]);
    frame.extend(address.octets());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_of_an_address_asks_for_it() {
        let hardware = hardware_address("02:00:00:0a:0b:0c").unwrap();
        assert_eq!(hardware, [2, 0, 0, 10, 11, 12]);
        let frame = gratuitous(hardware, Ipv4Addr::new(10, 1, 2, 3));
        assert_eq!(frame.len(), 42);
        assert_eq!(&frame[..6], &[0xff; 6]);
        assert_eq!(&frame[6..14], &[2, 0, 0, 10, 11, 12, 8, 6]);
        // sender and target are the same address; the target's hardware is what a request leaves open
        assert_eq!(&frame[22..32], &[2, 0, 0, 10, 11, 12, 10, 1, 2, 3]);
        assert_eq!(&frame[32..], &[0, 0, 0, 0, 0, 0, 10, 1, 2, 3]);
    }

    #[test]
    fn other_hardware_addresses_are_none() {
        for text in ["", "02:00", "02:00:00:0a:0b:zz", "02:00:00:0a:0b:0c:0d"] {
            assert_eq!(hardware_address(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_without_a_device_is_named() {
        let why = device_of(Ipv4Addr::new(203, 0, 113, 77)).err().unwrap();
        assert!(why.to_string().contains("203.0.113.77"), "{why}");
    }
}
