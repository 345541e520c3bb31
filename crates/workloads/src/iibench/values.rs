//! Values of rows, the same way for rows of `prepare` and of the load.

use super::options::IibenchOptions;
use crate::letters::Letters;
use base::rng::Rng;

/// Variation of prices in addition to the customer's part, in hundredths.
const PRICE_SPAN: f64 = 500.0;

/// Makes the values of rows.
pub struct Values {
    options: IibenchOptions,
    letters: Letters,
}

impl Values {
    pub fn new(options: &IibenchOptions) -> Values {
        Values {
            options: *options,
            letters: Letters::new(),
        }
    }

    /// A cash register, a customer, a product, and a price in hundredths. A customer's prices are close to
    /// one another: that is how the original draws them, so that indexes on the price are spread by customer.
    pub fn numbers(&self, rng: &mut Rng) -> [u32; 4] {
        let customer = rng.uniform(0, self.options.customers - 1);
        let price = rng.unit() * PRICE_SPAN + f64::from(customer);
        let register = rng.uniform(0, self.options.cash_registers - 1);
        let product = rng.uniform(0, self.options.products - 1);
        [register, customer, product, price as u32]
    }

    /// Half of it can be compressed away, as in the original.
    pub fn data(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        let random = self.options.data_length as usize / 2;
        let plain = self.options.data_length as usize - random;
        out.resize(out.len() + plain, b'a');
        self.letters.append(rng, random, out);
    }
}
