//! How many tables there are, their names, and which child belongs to which parent.

/// How many tables there are, and how they hang together. Tables are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub parents: u32,
    pub children: u32,
    pub foreign_keys: bool,
    /// Rows of each parent table that `prepare` loads, but for one more in the first `odd` tables. Each has
    /// one child in every child table.
    pub rows: u32,
    pub odd: u32,
}

impl Shape {
    /// Rows that `prepare` loads into a parent table.
    pub fn rows_of(&self, parent: u32) -> u32 {
        self.rows + u32::from(parent < self.odd)
    }

    pub fn parent_of(&self, child: u32) -> u32 {
        child % self.parents
    }

    /// The child tables of a parent table.
    pub fn children_of(&self, parent: u32) -> impl Iterator<Item = u32> + use<> {
        (parent..self.children).step_by(self.parents as usize)
    }
}

pub fn parent_table(parent: u32) -> String {
    format!("tbtest{}", parent + 1)
}

pub fn child_table(child: u32) -> String {
    format!("tbtest_child{}", child + 1)
}
