//! The place of this load among those of several hosts on the same servers: each has numbers of its own.

/// Which of how many loads this one is; counts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub index: usize,
    pub count: usize,
}

impl Place {
    /// The first of the numbers of this load, where each of all loads has so many.
    pub fn first(self, each: usize) -> usize {
        self.index * each
    }

    /// The n-th number of this load, where all loads take numbers in turn.
    pub fn number(self, n: usize) -> i64 {
        (n * self.count + self.index) as i64
    }
}

/// `2/3`: the second of three.
pub fn place(text: &str) -> Result<Place, String> {
    let wrong = || format!("{text:?} is no place: write which of how many, as in 2/3");
    let (which, count) = text.split_once('/').ok_or_else(wrong)?;
    let which: usize = which.parse().map_err(|_| wrong())?;
    let count: usize = count.parse().map_err(|_| wrong())?;
    if !(1..=count).contains(&which) || count > 64 {
        return Err(wrong());
    }
    Ok(Place {
        index: which - 1,
        count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_which_of_how_many() {
        assert_eq!(place("2/3"), Ok(Place { index: 1, count: 3 }));
        assert_eq!(place("1/1"), Ok(Place { index: 0, count: 1 }));
        for text in ["", "2", "0/3", "4/3", "1/0", "a/b", "-1/3", "1/65"] {
            assert!(place(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_of_two_loads_never_meet() {
        let all: Vec<i64> = (0..2)
            .flat_map(|index| (0..50).map(move |n| Place { index, count: 2 }.number(n)))
            .collect();
        let distinct: std::collections::BTreeSet<i64> = all.iter().copied().collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!(Place { index: 2, count: 3 }.first(4), 8);
    }
}
