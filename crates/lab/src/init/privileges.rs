//! What a program may do beyond any other of its user: nothing, or a few capabilities that are named.

use anyhow::{Context, Result};

/// Capabilities that the programs of a whole small machine need, which start as root and change their user:
/// those that containers have by default, without making devices, and the network's own settings.
const OF_A_MACHINE: &[Capability] = &[
    Capability::Chown,
    Capability::DacOverride,
    Capability::Fowner,
    Capability::Fsetid,
    Capability::Kill,
    Capability::Setgid,
    Capability::Setuid,
    Capability::NetBindService,
    Capability::NetAdmin,
    Capability::NetRaw,
    Capability::SysNice,
    Capability::AuditWrite,
];

/// Numbers of linux/capability.h.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Capability {
    Chown = 0,
    DacOverride = 1,
    Fowner = 3,
    Fsetid = 4,
    Kill = 5,
    Setgid = 6,
    Setuid = 7,
    NetBindService = 10,
    NetAdmin = 12,
    NetRaw = 13,
    SysNice = 23,
    AuditWrite = 29,
}

/// How much a program may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Privileges {
    None,
    OfAMachine,
}

impl Privileges {
    fn bits(self) -> u64 {
        let kept = match self {
            Privileges::None => &[],
            Privileges::OfAMachine => OF_A_MACHINE,
        };
        kept.iter().fold(0, |bits, one| bits | 1 << *one as u32)
    }

    /// The bound of whatever this process becomes or starts: a program with set-user-id or file
    /// capabilities gives none back. What is in effect now stays in effect.
    pub fn bound(self) -> Result<()> {
        let bits = self.bits();
        for capability in (0..64).filter(|capability| bits >> capability & 1 == 0) {
            match prctl(libc::PR_CAPBSET_DROP, capability, 0) {
                // the kernel knows no more than those before it
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => break,
                done => done.context("cannot drop capabilities")?,
            }
        }
        let clear = libc::PR_CAP_AMBIENT_CLEAR_ALL as libc::c_ulong;
        prctl(libc::PR_CAP_AMBIENT, clear, 0).context("cannot clear ambient capabilities")
    }

    /// Only these are left from now on.
    pub fn settle(self) -> Result<()> {
        set(self.bits())?;
        prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0).context("cannot give up privileges")
    }
}

/// capset(2): these permitted and effective, none inheritable. libc has no name for its structures.
fn set(bits: u64) -> Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION_3, 0];
    let (low, high) = (bits as u32, (bits >> 32) as u32);
    let data: [u32; 6] = [low, low, 0, high, high, 0];
    // SAFETY: both are as long as this version says, and outlive the call
    let done = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), data.as_ptr()) };
    if done != 0 {
        return Err(std::io::Error::last_os_error()).context("cannot drop capabilities");
    }
    Ok(())
}

/// prctl(2) with up to two numbers.
pub fn prctl(
    option: libc::c_int,
    second: libc::c_ulong,
    third: libc::c_ulong,
) -> std::io::Result<()> {
    // SAFETY: plain numbers
    if unsafe { libc::prctl(option, second, third, 0, 0) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_keeps_nothing_and_a_machine_neither_mounts_nor_traces() {
        assert_eq!(Privileges::None.bits(), 0);
        let (ptrace, admin, module, mknod) = (19, 21, 16, 27);
        for forbidden in [ptrace, admin, module, mknod] {
            assert_eq!(Privileges::OfAMachine.bits() >> forbidden & 1, 0);
        }
        assert_eq!(Privileges::OfAMachine.bits(), 0x2080_34fb);
    }
}
