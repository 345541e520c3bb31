//! Which system calls what runs inside a host may not make: those by which a program changes what it sees,
//! looks into others, or speaks to the kernel about the whole machine. As containers have it (the default
//! profile of Docker and Podman), turned round: what is not named here is allowed, but nothing newer than
//! what was known when this was written.
//!
//! Most of the kernel already refuses for want of capabilities. This is the second wall: it keeps a server
//! away from code in which a mistake of the kernel would be a way out.

use anyhow::Result;

use crate::seccomp::Filter;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<u32> = None;

/// The first unassigned number (Linux 6.19 ends with `listns`, 470). Also those of the x32 interface
/// are above it. Numbers of new calls are the same on all architectures.
const UNKNOWN: u32 = 471;

/// `open_tree_attr` and `listns`, for which libc has no names yet.
const OPEN_TREE_ATTR: libc::c_long = 467;
const LISTNS: libc::c_long = 470;

const REFUSED: &[libc::c_long] = &[
    // namespaces and mounts
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    LISTNS,
    // into other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // keys of the user, which no namespace keeps apart
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // programs in the kernel, and looking into it
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_syslog,
    // the machine itself
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Families of sockets that stay within the host's network. Among those left out is AF_VSOCK, which leads
/// to the machine below a virtual one whatever the network namespace.
const FAMILIES: &[libc::c_int] = &[
    libc::AF_UNIX,
    libc::AF_INET,
    libc::AF_INET6,
    libc::AF_NETLINK,
    libc::AF_PACKET,
];

/// Bits of clone(2) that make namespaces.
const NAMESPACES: libc::c_int = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// Puts it in force for this process and what it becomes. Where the architecture is not one of those known
/// here there is none.
pub fn install() -> Result<()> {
    match ARCHITECTURE {
        Some(own) => filter(own).install(0).map(drop),
        None => Ok(()),
    }
}

fn filter(own: u32) -> Filter {
    let mut filter = Filter::default();
    filter.load_architecture();
    filter.jump_equal(own, 1, 0);
    filter.refuse(libc::ENOSYS);
    filter.load_number();
    filter.jump_from(UNKNOWN, 0, 1);
    filter.refuse(libc::ENOSYS);
    for number in REFUSED {
        filter.jump_equal(*number as u32, 0, 1);
        filter.refuse(libc::EPERM);
    }
    // its flags lie in memory, where no filter sees them; libraries go back to clone
    filter.jump_equal(libc::SYS_clone3 as u32, 0, 1);
    filter.refuse(libc::ENOSYS);
    no_namespaces(&mut filter);
    no_input_to_terminals(&mut filter);
    known_families(&mut filter, libc::SYS_socket);
    known_families(&mut filter, libc::SYS_socketpair);
    filter.answer(libc::SECCOMP_RET_ALLOW);
    filter
}

fn no_namespaces(filter: &mut Filter) {
    filter.jump_equal(libc::SYS_clone as u32, 0, 4);
    filter.load_argument(0);
    filter.jump_any_bit(NAMESPACES as u32, 0, 1);
    filter.refuse(libc::EPERM);
    filter.answer(libc::SECCOMP_RET_ALLOW);
}

/// A client at a person's terminal must not type there.
fn no_input_to_terminals(filter: &mut Filter) {
    filter.jump_equal(libc::SYS_ioctl as u32, 0, 5);
    filter.load_argument(1);
    filter.jump_equal(libc::TIOCSTI as u32, 1, 0);
    filter.jump_equal(libc::TIOCLINUX as u32, 0, 1);
    filter.refuse(libc::EPERM);
    filter.answer(libc::SECCOMP_RET_ALLOW);
}

fn known_families(filter: &mut Filter, call: libc::c_long) {
    filter.jump_equal(call as u32, 0, FAMILIES.len() + 3);
    filter.load_argument(0);
    for (index, family) in FAMILIES.iter().enumerate() {
        filter.jump_equal(*family as u32, FAMILIES.len() - index, 0);
    }
    filter.refuse(libc::EAFNOSUPPORT);
    filter.answer(libc::SECCOMP_RET_ALLOW);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seccomp::tests::answer;

    const OWN: u32 = 0xc000_003e;
    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;

    fn error(number: i32) -> u32 {
        libc::SECCOMP_RET_ERRNO | number as u32
    }

    fn asked(number: libc::c_long, arguments: [u32; 6]) -> u32 {
        answer(&filter(OWN), OWN, number as u32, arguments)
    }

    #[test]
    fn every_call_is_allowed_but_those_that_are_named() {
        let special = [libc::SYS_clone3, libc::SYS_socket, libc::SYS_socketpair];
        for number in (0..i64::from(UNKNOWN)).filter(|number| !special.contains(number)) {
            let expected = if REFUSED.contains(&number) {
                error(libc::EPERM)
            } else {
                ALLOW
            };
            assert_eq!(asked(number, [0; 6]), expected, "{number}");
        }
    }

    #[test]
    fn what_servers_live_on_is_allowed() {
        for number in [
            libc::SYS_io_uring_setup,
            libc::SYS_io_uring_enter,
            libc::SYS_io_submit,
            libc::SYS_shmget,
            libc::SYS_memfd_create,
            libc::SYS_seccomp,
            libc::SYS_mbind,
            libc::SYS_sched_setscheduler,
            libc::SYS_execve,
        ] {
            assert_eq!(asked(number, [0; 6]), ALLOW, "{number}");
        }
    }

    #[test]
    fn calls_that_nobody_knew_and_those_of_other_architectures_do_not_exist() {
        let x32 = libc::c_long::from(0x4000_0000 + libc::SYS_mount as i32);
        for number in [i64::from(UNKNOWN), 1000, x32] {
            assert_eq!(asked(number, [0; 6]), error(libc::ENOSYS), "{number}");
        }
        assert_eq!(asked(libc::SYS_clone3, [0; 6]), error(libc::ENOSYS));
        let i386 = 0x4000_0003;
        assert_eq!(answer(&filter(OWN), i386, 0, [0; 6]), error(libc::ENOSYS));
    }

    #[test]
    fn threads_and_processes_begin_but_namespaces_do_not() {
        let thread = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND) as u32;
        assert_eq!(asked(libc::SYS_clone, [thread, 0, 0, 0, 0, 0]), ALLOW);
        assert_eq!(
            asked(libc::SYS_clone, [libc::SIGCHLD as u32, 0, 0, 0, 0, 0]),
            ALLOW
        );
        for flag in [libc::CLONE_NEWUSER, libc::CLONE_NEWNS, libc::CLONE_NEWNET] {
            let flags = (flag | libc::SIGCHLD) as u32;
            assert_eq!(
                asked(libc::SYS_clone, [flags, 0, 0, 0, 0, 0]),
                error(libc::EPERM)
            );
        }
    }

    #[test]
    fn sockets_are_of_the_hosts_own_network_and_terminals_are_not_typed_into() {
        for call in [libc::SYS_socket, libc::SYS_socketpair] {
            for family in 0..50 {
                let expected = if FAMILIES.contains(&family) {
                    ALLOW
                } else {
                    error(libc::EAFNOSUPPORT)
                };
                assert_eq!(asked(call, [family as u32, 1, 0, 0, 0, 0]), expected);
            }
        }
        assert!(!FAMILIES.contains(&libc::AF_VSOCK));
        for (request, expected) in [
            (libc::TIOCGWINSZ, ALLOW),
            (libc::TIOCSTI, error(libc::EPERM)),
            (libc::TIOCLINUX, error(libc::EPERM)),
        ] {
            let arguments = [0, request as u32, 0, 0, 0, 0];
            assert_eq!(asked(libc::SYS_ioctl, arguments), expected);
        }
    }
}
