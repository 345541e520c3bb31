//! The 95 % interval of a mean of few values: Student, The Probable Error of a Mean, Biometrika 6 (1908).

/// The 0.975 quantile of Student's t for 1 to 9 degrees of freedom.
const QUANTILES: [f64; 9] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
];
/// As many values as the table is good for.
pub const MOST: u32 = 10;

/// Mean and half the width of its interval; None below two values, which say nothing of their spread.
pub fn interval(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len();
    let quantile = QUANTILES.get(count.checked_sub(2)?)?;
    let mean = values.iter().sum::<f64>() / count as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (count - 1) as f64).sqrt();
    Some((mean, quantile * deviation / (count as f64).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: mean 20, deviation 10, 4.303 * 10 / sqrt(3) = 24.84.
    #[test]
    fn three_values() {
        let (mean, half) = interval(&[10.0, 20.0, 30.0]).unwrap();
        assert_eq!(mean, 20.0);
        assert!((half - 24.843).abs() < 0.001, "{half}");
    }

    #[test]
    fn one_value_has_no_interval() {
        assert_eq!(interval(&[1.0]), None);
        assert_eq!(interval(&[5.0, 5.0]), Some((5.0, 0.0)));
    }
}
