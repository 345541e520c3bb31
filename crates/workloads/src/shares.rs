//! Shares of a mix: as the user writes them, percentages with commas between, and how one is picked.

use crate::Client;

/// Exactly `N` percentages that add up to 100.
pub fn shares<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let mut shares = [0.0; N];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() != N {
        return Err(format!("{N} figures are wanted, {} given", parts.len()));
    }
    for (share, part) in shares.iter_mut().zip(parts) {
        *share = match part.trim().parse::<f64>() {
            Ok(value) if (0.0..=100.0).contains(&value) => value,
            _ => return Err(format!("'{part}' is not a percentage")),
        };
    }
    let sum: f64 = shares.iter().sum();
    if (sum - 100.0).abs() > 1e-6 {
        return Err(format!("they add up to {sum}, not to 100"));
    }
    Ok(shares)
}

/// Picks a position by weights that need not add up to anything.
pub fn pick_by_weight(client: &Client, weights: impl Iterator<Item = f64> + Clone) -> usize {
    let total: f64 = weights.clone().sum();
    let mut left = client.rng().unit() * total;
    let mut last = 0;
    for (position, weight) in weights.enumerate() {
        if weight > 0.0 {
            last = position;
            if left < weight {
                break;
            }
        }
        left -= weight;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_as_many_as_wanted_and_add_up() {
        assert_eq!(shares("60, 40"), Ok([60.0, 40.0]));
        assert_eq!(shares("33.3,33.3,33.4"), Ok([33.3, 33.3, 33.4]));
        assert!(shares::<2>("100").unwrap_err().contains("2 figures"));
        assert!(shares::<2>("50,60").unwrap_err().contains("add up to 110"));
        assert!(shares::<1>("nan").unwrap_err().contains("not a percentage"));
    }
}
