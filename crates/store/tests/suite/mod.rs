//! What any home of the two traits must do, whatever it is made of.
//!
//! A home says how it is opened, stopped and killed; [`every_statement!`](crate::every_statement) turns
//! every statement here into a test of that home.

pub mod again;
pub mod clusters;
pub mod copies;
pub mod counting;
pub mod forgetting;
pub mod frontier;
pub mod harvest;
pub mod imports;
pub mod items;
pub mod library;
pub mod likeness;
pub mod lists;
pub mod pages;
pub mod persons;
pub mod places;
pub mod timetable;
pub mod web;
pub mod words;

use std::sync::Arc;
use std::time::Duration;

use facts::MediaId;
use store::{
    Budgets, CrawlId, Forget, Forgotten, Frontier, Imported, ImportedFile, Library, RunId, StoreError, Visited,
};

/// The delay of hosts that ask for none, in all these tests.
pub const DELAY: Duration = Duration::from_millis(60);

/// No budget that binds.
pub const PLENTY: Budgets = Budgets { per_host: 1_000, per_template: 1_000 };

/// How a process came to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    Clean,
    Killed,
}

/// Something that keeps a queue and a library over restarts.
#[async_trait::async_trait]
pub trait Home: Sized + Send {
    /// Whether many thousands of items and hundreds of steps take seconds here, and not minutes.
    const QUICK: bool = true;

    /// A new one, empty.
    async fn new() -> Self;
    fn frontier(&self) -> Arc<dyn Frontier>;
    fn library(&self) -> Arc<dyn Library>;
    /// The process ends and another one opens the same home.
    async fn restart(&mut self, stop: Stop);
    /// `Store::commit`.
    async fn commit(&self, crawl: CrawlId, run: RunId, visits: Vec<Visited>) -> Result<(), StoreError>;
    /// `Store::import`.
    async fn import(&self, files: Vec<ImportedFile>) -> Result<Imported, StoreError>;
    /// `Store::forget`.
    async fn forget(&self, what: Forget) -> Result<Forgotten, StoreError>;
    /// `Store::remove`.
    async fn remove(&self, id: MediaId) -> Result<bool, StoreError>;
    /// Panics when figures are not what a count of the rows gives, or rows do not fit together.
    async fn audit(&self);
}

/// Makes a test of each statement for a home.
#[macro_export]
macro_rules! suite {
    ($home:ty: $($module:ident { $($statement:ident),* $(,)? })*) => {
        $($(
            #[tokio::test]
            async fn $statement() {
                $crate::suite::$module::$statement(<$home as $crate::suite::Home>::new().await).await;
            }
        )*)*
    };
}

/// Makes a test of every statement for a home.
#[macro_export]
macro_rules! every_statement {
    ($home:ty) => {
        $crate::suite! { $home:
            again {
                what_did_not_change_is_counted_with_the_visit_that_found_it,
                changes_are_a_history_and_say_how_often_they_come,
                what_is_gone_is_asked_again_three_times,
                pages_and_files_that_are_gone_are_shown_as_gone,
                reports_are_remembered_by_their_tokens,
            }
            frontier {
                bfs_visits_in_order_of_discovery,
                dfs_visits_children_first_in_document_order,
                best_first_visits_the_largest_and_breaks_ties_by_discovery,
                a_row_found_again_with_a_larger_priority_moves_forward,
                a_raised_row_comes_by_the_better_way,
                a_claimed_row_is_not_raised,
                the_first_discovery_counts,
                a_claim_carries_its_link_whole,
                media_go_before_pages_on_every_host,
                without_room_for_pages_only_media_are_claimed,
                a_host_has_one_claim_at_a_time_whichever_crawl_asks,
                a_resting_host_is_left_alone_until_its_time,
                a_reserved_host_is_busy_for_everyone,
                a_host_that_nobody_waits_for_any_more_is_free,
                a_row_put_back_is_where_it_was_and_counts_failed_tries,
                an_address_is_visited_once_unless_it_is_reopened,
                budgets_hold_for_links_but_not_for_seeds_redirects_and_media,
                finishing_twice_changes_nothing,
                a_redirect_within_its_host_survives_a_kill,
                the_target_of_a_redirect_takes_the_place_of_what_led_to_it,
                a_killed_queue_has_its_claimed_rows_again,
                after_a_kill_every_host_waits_its_full_delay,
                after_a_kill_hosts_rest_as_long_as_whoever_asked_them_would_have_let_them,
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
                why_a_picture_was_refused_does_not_depend_on_which_page_was_read_first,
                recording_again_changes_nothing,
                a_reopened_address_is_a_visit_of_its_own,
                the_same_bytes_at_two_addresses_are_one_file,
                runs_are_counted_apart,
                tasks_are_equal_slices_of_a_run,
                mishaps_are_listed_newest_first_and_cut,
                of_all_who_work_on_a_run_one_at_a_time_writes_how_far_it_is,
                the_library_counts_hosts_and_what_is_known,
                a_kill_at_any_point_of_a_commit_loses_and_doubles_nothing,
                what_files_say_of_where_they_were_made_is_counted,
                what_files_say_is_counted_once_however_often_it_is_written,
                images_are_counted_by_size_place_and_top_level_domain,
            }
            items {
                an_item_carries_all_that_is_known_of_it,
                long_texts_of_files_are_cut,
                the_same_bytes_again_add_an_address_and_a_missing_thumbnail,
                an_item_names_every_page_that_shows_it,
                a_picture_behind_a_redirect_is_shown_by_the_page_that_named_it,
                lists_go_on_where_they_stopped,
                lists_hold_what_was_asked_for,
                the_nearest_are_found_first,
                the_meridian_and_the_poles_are_no_borders,
                far_and_wide_is_listed_too,
            }
            imports {
                imported_files_are_items_like_any_other,
                importing_again_changes_nothing,
                an_import_that_was_stopped_knows_what_it_has,
                a_changed_file_takes_its_address_along,
                a_file_that_is_refused_later_goes,
                of_two_copies_the_one_that_stays_is_named,
                a_crawled_copy_replaces_the_file_elsewhere,
                paths_that_are_not_absolute_are_refused,
            }
            forgetting {
                a_forgotten_host_takes_its_pages_and_media_along,
                what_other_hosts_have_too_stays,
                a_forgotten_file_goes_under_all_its_addresses,
                what_a_forgotten_address_leads_to_goes_too,
                a_forgotten_page_takes_the_media_only_it_showed,
                a_forgotten_import_does_not_come_back,
                what_is_not_there_is_blocked_all_the_same,
                forgetting_survives_a_kill,
                a_forgotten_visit_is_counted_without_its_address,
                visits_on_their_way_do_not_bring_it_back,
                addresses_of_a_forgotten_host_are_told_nowhere,
            }
            places {
                the_best_source_is_shown_and_all_are_kept,
                words_about_a_wide_area_come_after_finer_ones,
                what_pages_say_counts_whenever_they_are_read,
                what_pages_say_follows_redirects,
                an_address_with_a_picture_of_its_own_leads_nowhere,
                what_leads_to_a_known_picture_is_heard_of_too,
                of_several_pages_the_surest_is_believed,
                what_is_not_said_any_more_is_not_known,
                the_names_of_a_place_are_added_when_they_were_missing,
                the_word_of_a_person_stays,
                a_forgotten_content_takes_the_word_of_a_person_along,
                items_are_listed_by_what_words_say_of_them,
                images_located_by_words_are_counted_once,
                strange_numbers_and_long_words_are_kept_within_bounds,
                imported_files_are_where_their_words_say,
            }
            clusters {
                a_map_shows_clusters_that_part_as_one_comes_nearer,
                a_view_may_go_over_the_date_line,
                maps_show_what_was_asked_for,
                pages_are_shown_at_the_place_they_are_about,
            }
            lists {
                items_are_listed_in_every_order,
                filters_hold_in_every_order,
                what_nobody_verified_is_listed_with_the_least_certain_first,
                a_strange_cursor_breaks_nothing,
            }
            words {
                a_word_is_found_in_its_forms_and_exactly_when_asked,
                a_slip_is_understood_and_a_likelier_word_is_said,
                a_word_without_a_stem_is_kept_and_found,
                pictures_are_found_by_what_their_pages_say_of_themselves,
                words_places_times_and_kinds_go_together,
                what_was_written_changes_the_revision,
                items_are_found_by_all_that_is_said_of_them,
                a_word_in_the_title_counts_for_more_and_pages_of_matches_follow,
                words_follow_what_is_said_now,
                pages_are_found_by_their_words,
                a_map_and_a_list_of_words_are_cut_by_other_filters,
            }
            timetable {
                schedules_are_made_changed_and_removed,
                what_came_of_runs_is_remembered,
                the_last_thousand_runs_are_kept,
            }
            persons {
                a_confirmed_location_is_the_word_of_a_person_as_it_was,
                a_rejected_location_is_not_shown_whatever_is_said_later,
                a_text_of_a_person_comes_again_with_its_content,
                a_removed_item_goes_with_its_files_and_may_come_again,
                a_removed_import_can_be_imported_again,
                settings_are_kept_by_name,
            }
            pages {
                a_page_is_listed_with_all_its_places,
                a_hundred_places_of_a_page_are_kept_with_the_one_it_is_about,
                a_page_read_again_has_the_places_of_its_last_reading,
                a_page_is_relevant_when_a_crawl_last_found_it_so,
                lists_of_pages_hold_what_was_asked_for,
                pages_with_the_nearest_places_are_found_first,
                pages_of_a_wide_area_are_listed_too,
                forgotten_pages_are_not_listed,
                places_that_cannot_be_are_kept_within_bounds,
            }
            harvest {
                bridges_tails_and_distances_are_counted_as_pages_are_read,
                only_the_first_page_after_another_ends_its_tail,
                long_ways_are_counted_together,
                a_harvest_curve_has_evenly_spaced_points,
                tasks_count_relevant_pages,
                what_a_strategy_learnt_is_kept_with_its_crawl,
            }
            likeness {
                what_is_near_is_found_in_the_nearest_clusters,
                a_new_clustering_takes_over_item_by_item,
                what_is_described_anew_is_placed_anew,
            }
            copies {
                a_description_comes_with_its_item_or_later,
                what_is_to_be_described_is_listed_page_by_page,
                what_was_not_compared_before_a_kill_is_listed_after_it,
                candidates_are_found_by_what_copies_share,
                of_a_group_the_closest_is_a_candidate,
                sounds_are_found_by_keys_that_few_share,
                the_best_of_a_group_is_its_original,
                films_are_better_when_they_are_larger_longer_or_of_a_higher_rate,
                groups_that_share_a_copy_become_one,
                what_a_person_sets_apart_stays_apart,
                originals_can_be_listed_alone,
                an_original_is_found_by_the_words_of_its_copies,
                what_copies_know_is_offered_to_their_original,
                groups_are_those_of_a_model,
            }
            counting {
                figures_are_what_a_count_of_the_items_gives,
            }
        }
    };
}
