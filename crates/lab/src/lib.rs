//! What the lab is made of below Python: namespaces, links between sites, disks, answers to health checks, ways
//! in from the machine.

pub mod agent;
pub mod disk;
pub mod forward;
pub mod health;
pub mod init;
pub mod remote;
mod seccomp;
pub mod vm;
pub mod wan;
