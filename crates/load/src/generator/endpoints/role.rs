//! What an endpoint is used for.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Write,
    Read,
}
