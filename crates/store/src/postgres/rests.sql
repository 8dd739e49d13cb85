-- Hosts that are taken over rest as long as whoever held them would have let them, whoever takes over.

-- The delay that whoever is busy with it asks it with, unless it asks for more itself.
ALTER TABLE host_clock ADD COLUMN rest_ms BIGINT;

DROP FUNCTION take_best(BIGINT, BIGINT, INTEGER, INTEGER, BIGINT, BIGINT, BIGINT);

-- Takes the best addresses of hosts that are free. Nobody is waited for: what others hold is passed over. in_run,
-- run_pages: the run that they are for, and the pages that it asks for at most; null without a limit. its_delay: the
-- delay that hosts are asked with which ask for none.
CREATE FUNCTION take_best(in_crawl BIGINT, by_worker BIGINT, any_kind INTEGER, any_pages INTEGER, in_run BIGINT,
                          run_pages BIGINT, its_delay BIGINT, at_ms BIGINT)
RETURNS TABLE (lane SMALLINT, band BIGINT, seq BIGINT, host BIGINT, link BYTEA, tries INTEGER, round INTEGER,
               delay_ms BIGINT, failures BIGINT)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    never CONSTANT BIGINT := 9223372036854775807;
    tried BIGINT[] := '{}';
    hosts BIGINT[];
    held BIGINT[];
    free BIGINT[];
    taken INTEGER := 0;
    pages INTEGER := 0;
    wanted INTEGER;
BEGIN
    IF any_pages > 0 AND run_pages IS NOT NULL THEN
        any_pages := least(any_pages, pages_left(in_crawl, in_run, run_pages));
    END IF;
    -- Hosts whose rest is over. So many at most that nobody waits for long.
    UPDATE backlog SET ready = true
    FROM (SELECT due.host FROM backlog AS due
          WHERE due.crawl = in_crawl AND NOT due.ready AND due.lane IS NOT NULL AND due.lane IN (0, 1)
          AND due.free_at <= at_ms LIMIT 10000 FOR UPDATE SKIP LOCKED) AS rested
    WHERE backlog.crawl = in_crawl AND backlog.host = rested.host;

    FOR lane_now IN 0..1 LOOP
        LOOP
            wanted := any_kind - taken;
            IF lane_now = 1 THEN
                wanted := least(wanted, any_pages - pages);
            END IF;
            EXIT WHEN wanted <= 0;
            SELECT array_agg(best.host) INTO hosts
            FROM (SELECT b.host FROM backlog AS b
                  WHERE b.crawl = in_crawl AND b.ready AND b.lane = lane_now AND b.host <> ALL (tried)
                  ORDER BY b.band, b.seq, b.host LIMIT wanted FOR UPDATE SKIP LOCKED) AS best;
            EXIT WHEN hosts IS NULL;
            tried := tried || hosts;
            -- Only those that have none: a row that someone changes would be waited for.
            INSERT INTO host_clock (host) SELECT new.host FROM unnest(hosts) AS new (host)
            WHERE NOT EXISTS (SELECT 1 FROM host_clock AS c WHERE c.host = new.host)
            ORDER BY 1 ON CONFLICT DO NOTHING;
            -- A clock that another holds may say something else in a moment: it is looked at with the next claim.
            SELECT coalesce(array_agg(clock.host), '{}'),
                   coalesce(array_agg(clock.host) FILTER (WHERE clock.busy IS NULL AND clock.ready_at <= at_ms), '{}')
            INTO held, free
            FROM (SELECT c.host, c.busy, c.ready_at FROM host_clock AS c WHERE c.host = ANY (hosts)
                  FOR UPDATE SKIP LOCKED) AS clock;
            -- Those that are held and not free rest, or another crawl asks them.
            IF cardinality(free) < cardinality(held) THEN
                UPDATE backlog AS b
                SET ready = false, free_at = CASE WHEN c.busy IS NULL THEN c.ready_at ELSE never END
                FROM host_clock AS c
                WHERE b.crawl = in_crawl AND b.host = ANY (held) AND b.host <> ALL (free) AND c.host = b.host;
            END IF;
            CONTINUE WHEN cardinality(free) = 0;
            UPDATE host_clock AS c SET busy = by_worker, rest_ms = its_delay WHERE c.host = ANY (free);
            RETURN QUERY
                WITH best AS MATERIALIZED (
                    SELECT w.*, c.delay_ms, c.failures
                    FROM backlog AS b JOIN host_clock AS c ON c.host = b.host
                    JOIN waiting AS w ON w.host = b.host AND w.crawl = in_crawl AND w.lane = b.lane
                                      AND w.band = b.band AND w.seq = b.seq
                    WHERE b.crawl = in_crawl AND b.host = ANY (free)
                ), noted AS (
                    INSERT INTO claimed (host, crawl, lane, band, seq, id, worker)
                    SELECT best.host, in_crawl, best.lane, best.band, best.seq, best.id, by_worker FROM best
                )
                SELECT best.lane, best.band, best.seq, best.host, best.link, best.tries, best.round, best.delay_ms,
                       best.failures FROM best;
            UPDATE backlog AS b SET ready = false, free_at = never, (lane, band, seq) =
                (SELECT w.lane, w.band, w.seq FROM unclaimed AS w
                 WHERE w.host = b.host AND w.crawl = in_crawl AND (w.lane, w.band, w.seq) > (b.lane, b.band, b.seq)
                 ORDER BY w.lane, w.band, w.seq LIMIT 1)
            WHERE b.crawl = in_crawl AND b.host = ANY (free);
            taken := taken + cardinality(free);
            IF lane_now = 1 THEN
                pages := pages + cardinality(free);
            END IF;
        END LOOP;
    END LOOP;
END $$;

-- Gives back what a worker holds that went: hosts rest as long as after a request of which nobody knows
-- how it ended. default_delay: that of hosts of which whoever held them said none.
CREATE OR REPLACE FUNCTION give_back(of_worker BIGINT, default_delay BIGINT, at_ms BIGINT)
RETURNS VOID LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    held BIGINT[];
    was_claimed BIGINT[];
BEGIN
    PERFORM 1 FROM worker AS w WHERE w.id = of_worker FOR UPDATE;
    SELECT coalesce(array_agg(clock.host), '{}') INTO held
    FROM (SELECT c.host FROM host_clock AS c WHERE c.busy = of_worker ORDER BY c.host FOR UPDATE) AS clock;
    SELECT coalesce(array_agg(DISTINCT t.host), '{}') INTO was_claimed FROM claimed AS t WHERE t.worker = of_worker;
    PERFORM 1 FROM backlog AS b WHERE b.host = ANY (held || was_claimed) ORDER BY b.host, b.crawl FOR UPDATE;
    UPDATE host_clock AS c SET busy = NULL,
        ready_at = greatest(c.ready_at, at_ms + greatest(coalesce(c.delay_ms, 0), coalesce(c.rest_ms, default_delay)))
    WHERE c.host = ANY (held);
    DELETE FROM claimed AS t WHERE t.host = ANY (was_claimed) AND t.worker = of_worker;
    UPDATE backlog AS b SET ready = false, free_at = c.ready_at
    FROM host_clock AS c WHERE b.host = ANY (held) AND c.host = b.host;
    UPDATE backlog AS b SET (lane, band, seq) =
        (SELECT w.lane, w.band, w.seq FROM unclaimed AS w
         WHERE w.host = b.host AND w.crawl = b.crawl ORDER BY w.lane, w.band, w.seq LIMIT 1)
    WHERE b.host = ANY (was_claimed);
    UPDATE worker AS w SET ended = at_ms WHERE w.id = of_worker;
END $$;
