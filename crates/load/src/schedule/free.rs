//! The connections that wait for an arrival, the longest waiting first.
//!
//! A doubly linked list inside one vector: a connection that is lost while it waits leaves in constant time,
//! also when ten thousand are lost at once.

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    before: u32,
    after: u32,
    linked: bool,
}

pub struct FreeList {
    nodes: Vec<Node>,
    first: u32,
    last: u32,
}

impl FreeList {
    pub fn new(connections: usize) -> FreeList {
        let alone = Node {
            before: NONE,
            after: NONE,
            linked: false,
        };
        FreeList {
            nodes: vec![alone; connections],
            first: NONE,
            last: NONE,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Adds a connection at the end, unless it waits already.
    pub fn push(&mut self, connection: usize) {
        if self.nodes[connection].linked {
            return;
        }
        self.nodes[connection] = Node {
            before: self.last,
            after: NONE,
            linked: true,
        };
        match self.last {
            NONE => self.first = connection as u32,
            last => self.nodes[last as usize].after = connection as u32,
        }
        self.last = connection as u32;
    }

    pub fn pop(&mut self) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let connection = self.first as usize;
        self.remove(connection);
        Some(connection)
    }

    pub fn remove(&mut self, connection: usize) {
        let Node {
            before,
            after,
            linked,
        } = self.nodes[connection];
        if !linked {
            return;
        }
        match before {
            NONE => self.first = after,
            _ => self.nodes[before as usize].after = after,
        }
        match after {
            NONE => self.last = before,
            _ => self.nodes[after as usize].before = before,
        }
        self.nodes[connection].linked = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop, prop_assert_eq, proptest};
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn is_a_queue_without_doubles(actions in prop::collection::vec((0..3u8, 0..8usize), 0..200)) {
            let mut list = FreeList::new(8);
            let mut model = VecDeque::new();
            for (action, connection) in actions {
                match action {
                    0 => {
                        list.push(connection);
                        if !model.contains(&connection) {
                            model.push_back(connection);
                        }
                    }
                    1 => {
                        list.remove(connection);
                        model.retain(|&other| other != connection);
                    }
                    _ => prop_assert_eq!(list.pop(), model.pop_front()),
                }
                prop_assert_eq!(list.is_empty(), model.is_empty());
            }
        }
    }
}
