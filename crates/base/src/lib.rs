//! What all crates stand on: the kernel's few interfaces, random numbers, arguments.

pub mod arguments;
pub mod rng;
pub mod sys;
