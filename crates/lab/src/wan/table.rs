//! Which port a hardware address was last seen at.

use std::collections::HashMap;

pub type Address = [u8; 6];

/// More addresses than any lab has; beyond, frames to new ones go to all ports.
const MOST: usize = 4096;

/// Where a frame goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    To(usize),
    /// To all ports but the one it came from: a broadcast, or an address not seen yet.
    All,
    /// Nowhere: its target is on the side that it came from.
    Stays,
}

#[derive(Default)]
pub struct Table(HashMap<Address, usize>);

impl Table {
    /// Learns where the source is, and says where the target is.
    pub fn way(&mut self, source: Address, target: Address, port: usize) -> Way {
        if !is_group(source) && (self.0.len() < MOST || self.0.contains_key(&source)) {
            self.0.insert(source, port);
        }
        if is_group(target) {
            return Way::All;
        }
        match self.0.get(&target) {
            None => Way::All,
            Some(&found) if found == port => Way::Stays,
            Some(&found) => Way::To(found),
        }
    }
}

fn is_group(address: Address) -> bool {
    address[0] & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn host(number: u8) -> Address {
        [2, 0, 0, 0, 0, number]
    }

    #[test]
    fn answers_go_where_the_question_came_from() {
        let mut table = Table::default();
        assert_eq!(table.way(host(1), [255; 6], 0), Way::All);
        assert_eq!(table.way(host(2), host(1), 2), Way::To(0));
        assert_eq!(table.way(host(1), host(2), 0), Way::To(2));
        assert_eq!(table.way(host(3), host(1), 0), Way::Stays);
        assert_eq!(table.way(host(1), host(9), 0), Way::All);
    }

    #[test]
    fn an_address_that_moved_is_found_again() {
        let mut table = Table::default();
        table.way(host(1), host(2), 0);
        table.way(host(1), host(2), 1);
        assert_eq!(table.way(host(2), host(1), 2), Way::To(1));
    }

    #[test]
    fn the_table_does_not_grow_without_end() {
        let mut table = Table::default();
        for number in 0..10_000u32 {
            let bytes = number.to_be_bytes();
            table.way([2, 0, bytes[0], bytes[1], bytes[2], bytes[3]], [255; 6], 0);
        }
        assert_eq!(table.0.len(), MOST);
        assert_eq!(table.way(host(1), [2, 0, 0, 0, 0, 5], 1), Way::To(0));
    }

    proptest! {
        #[test]
        fn a_frame_never_goes_back_and_goes_where_its_target_spoke_last(
            frames in prop::collection::vec((0u8..6, 0u8..6, 0usize..4), 1..200)
        ) {
            let mut table = Table::default();
            let mut last = HashMap::new();
            for (source, target, port) in frames {
                last.insert(source, port);
                let expected = match last.get(&target) {
                    None => Way::All,
                    Some(&at) if at == port => Way::Stays,
                    Some(&at) => Way::To(at),
                };
                prop_assert_eq!(table.way(host(source), host(target), port), expected);
            }
        }
    }
}
