//! The two orders that look at nothing but discovery [000 §3.4].

use facts::Order;

use crate::{Arrival, Strategy};

/// `bfs`: first found, first visited.
#[derive(Clone, Copy, Debug, Default)]
pub struct BreadthFirst;

impl Strategy for BreadthFirst {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn seed(&self) -> Order {
        Order::FirstIn
    }

    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order> {
        vec![Order::FirstIn; arrival.page.links.len()]
    }
}

/// `dfs`: the children of the page just visited come before everything older.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthFirst;

impl Strategy for DepthFirst {
    fn name(&self) -> &'static str {
        "dfs"
    }

    fn seed(&self) -> Order {
        Order::LastIn
    }

    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order> {
        vec![Order::LastIn; arrival.page.links.len()]
    }
}
