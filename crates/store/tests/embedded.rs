//! The statements of the suite, for the embedded home.

mod faults;
mod suite;

use std::path::Path;
use std::sync::Arc;

use store::{CrawlId, Frontier, Library, Options, RunId, Store, StoreError, Visited};
use suite::{DELAY, Home, PLENTY, Stop};

struct Embedded {
    dir: tempfile::TempDir,
    store: Option<Store>,
}

impl Embedded {
    fn open(dir: &Path) -> Option<Store> {
        // Few active hosts, so that the others are parked in these small crawls too.
        let options = Options { what: "a test".into(), default_delay: DELAY, active_hosts: 2 };
        Some(Store::open(dir, options).unwrap())
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }
}

#[async_trait::async_trait]
impl Home for Embedded {
    async fn new() -> Self {
        // In memory where there is such a place: making thousands of small files safe on disk says
        // nothing here and takes minutes.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let store = Self::open(dir.path());
        Self { dir, store }
    }

    fn frontier(&self) -> Arc<dyn Frontier> {
        Arc::clone(self.store().frontier())
    }

    fn library(&self) -> Arc<dyn Library> {
        Arc::clone(self.store().library())
    }

    async fn restart(&mut self, stop: Stop) {
        let store = self.store.take().unwrap();
        match stop {
            Stop::Clean => store.close().await.unwrap(),
            Stop::Killed => drop(store),
        }
        self.store = Self::open(self.dir.path());
    }

    async fn commit(&self, crawl: CrawlId, run: RunId, visits: Vec<Visited>) -> Result<(), StoreError> {
        self.store().commit(crawl, run, visits, PLENTY).await.map(drop)
    }
}

suite! { Embedded:
    frontier {
        bfs_visits_in_order_of_discovery,
        dfs_visits_children_first_in_document_order,
        best_first_visits_the_largest_and_breaks_ties_by_discovery,
        a_row_found_again_with_a_larger_priority_moves_forward,
        a_claimed_row_is_not_raised,
        the_first_discovery_counts,
        a_claim_carries_its_link_whole,
        media_go_before_pages_on_every_host,
        without_room_for_pages_only_media_are_claimed,
        a_host_has_one_claim_at_a_time_whichever_crawl_asks,
        a_resting_host_is_left_alone_until_its_time,
        a_reserved_host_is_busy_for_everyone,
        a_row_put_back_is_where_it_was_and_counts_failed_tries,
        an_address_is_visited_once_unless_it_is_reopened,
        budgets_hold_for_links_but_not_for_seeds_redirects_and_media,
        finishing_twice_changes_nothing,
        a_redirect_within_its_host_survives_a_kill,
        the_target_of_a_redirect_takes_the_place_of_what_led_to_it,
        a_killed_queue_has_its_claimed_rows_again,
        after_a_kill_every_host_waits_its_full_delay,
        after_a_clean_stop_hosts_rest_as_long_as_they_were_told,
        a_long_rest_survives_a_kill,
        figures_survive_every_stop,
        crawls_have_queues_of_their_own,
        what_an_origin_said_is_remembered,
    }
    library {
        a_crawl_is_found_by_its_name_and_keeps_its_number,
        an_unfinished_run_is_gone_on_with_under_the_limits_given_last,
        what_does_not_exist_is_said_so,
        figures_count_what_was_recorded,
        recording_again_changes_nothing,
        a_reopened_address_is_a_visit_of_its_own,
        the_same_bytes_at_two_addresses_are_one_file,
        runs_are_counted_apart,
        tasks_are_equal_slices_of_a_run,
        mishaps_are_listed_newest_first_and_cut,
        the_library_counts_hosts_and_what_is_known,
        a_kill_at_any_point_of_a_commit_loses_and_doubles_nothing,
    }
}
