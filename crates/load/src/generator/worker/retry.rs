//! Which failed transactions are tried again. Off by default; every attempt is counted.

use sql_wire::Class;

#[derive(Clone, Debug, Default)]
pub struct Retry {
    /// Attempts after the first.
    pub most: u32,
    pub classes: Vec<Class>,
}

impl Retry {
    /// Whether a transaction that failed so, after this many attempts, gets another one.
    pub fn allows(&self, class: Class, attempts: u32) -> bool {
        attempts <= self.most && self.classes.contains(&class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_classes_and_so_often() {
        let retry = Retry {
            most: 2,
            classes: vec![Class::Deadlock],
        };
        assert!(retry.allows(Class::Deadlock, 1) && retry.allows(Class::Deadlock, 2));
        assert!(!retry.allows(Class::Deadlock, 3));
        assert!(!retry.allows(Class::Conflict, 1));
        assert!(!Retry::default().allows(Class::Deadlock, 1));
    }
}
