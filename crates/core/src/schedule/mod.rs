//! When transactions start.

pub mod closed;
