//! Paths in a virtual machine.

/// The host's own folder.
pub const NODE: &str = "/run/node";
/// The root that the kernel booted with: the host's files outside.
pub const MACHINE: &str = "/run/machine";
/// The host's own folder outside.
pub const OUTSIDE: &str = "/run/machine/run/node";
pub const DISK: &str = "/dev/ubda";
/// The device that delays the disk, if it exists.
pub const DELAYED: &str = "/dev/dm-0";
