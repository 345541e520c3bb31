//! Assigns subscribers and visitor IMSIs to sites and vendors by number and scale, without a lookup.
//!
//! A site has a range of subscribers and a separate range of visitor IMSIs. Within a range the site's three
//! home operators take turns, and after each round the next of the three visited countries has its turn. So a
//! partner, which is a home operator with a visited country, has as many visitor IMSIs as subscribers travel
//! there when there are as many visitor IMSIs as home IMSIs.

use super::options::ImsiOptions;
use std::ops::Range;

pub const OPERATORS: u32 = 3;
pub const COUNTRIES: u32 = 3;

/// IMSIs have 15 digits: country, network, subscriber.
const FIRST_HOME: i64 = 242_010_000_000_000;
const FIRST_VISITOR: i64 = 310_150_000_000_000;

/// Where a subscriber or a visitor IMSI belongs. Operators and partners are numbered over all sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub site: u32,
    pub operator: u32,
    pub country: u32,
}

impl Place {
    pub fn partner(&self) -> u32 {
        self.operator * COUNTRIES + self.country
    }
}

pub fn home_imsi(number: u32) -> i64 {
    FIRST_HOME + i64::from(number)
}

pub fn visitor_imsi(number: u32) -> i64 {
    FIRST_VISITOR + i64::from(number)
}

/// The numbers of a site, of `total` over all sites.
fn range(total: u32, sites: u32, site: u32) -> Range<u32> {
    let bound = |site: u32| (u64::from(site) * u64::from(total) / u64::from(sites)) as u32;
    bound(site)..bound(site + 1)
}

fn place(total: u32, sites: u32, number: u32) -> Place {
    let behind = (u64::from(number) + 1) * u64::from(sites) - 1;
    let site = (behind / u64::from(total)) as u32;
    let within = number - range(total, sites, site).start;
    Place {
        site,
        operator: site * OPERATORS + within % OPERATORS,
        country: within / OPERATORS % COUNTRIES,
    }
}

impl ImsiOptions {
    pub fn home_range(&self, site: u32) -> Range<u32> {
        range(self.home, self.sites, site)
    }

    pub fn visitor_range(&self, site: u32) -> Range<u32> {
        range(self.visitors, self.sites, site)
    }

    pub fn home_place(&self, number: u32) -> Place {
        place(self.home, self.sites, number)
    }

    pub fn visitor_place(&self, number: u32) -> Place {
        place(self.visitors, self.sites, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_cover_all_numbers_and_places_agree(total in 1u32..3000, sites in 1u32..20) {
            let mut next = 0;
            for site in 0..sites {
                let range = range(total, sites, site);
                prop_assert_eq!(range.start, next);
                next = range.end;
                for number in range {
                    let place = place(total, sites, number);
                    prop_assert_eq!(place.site, site);
                    prop_assert_eq!(place.operator / OPERATORS, site);
                    prop_assert!(place.country < COUNTRIES);
                }
            }
            prop_assert_eq!(next, total);
        }
    }

    #[test]
    fn the_largest_scale_does_not_overflow() {
        let last = place(100_000_000, 100, 99_999_999);
        assert_eq!((last.site, last.operator / OPERATORS), (99, 99));
    }

    #[test]
    fn partners_have_equal_parts_of_a_site() {
        let mut counts = [0u32; 18];
        for number in 0..525_000 {
            counts[place(525_000, 2, number).partner() as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| (29_166..=29_167).contains(count)),
            "{counts:?}"
        );
    }
}
