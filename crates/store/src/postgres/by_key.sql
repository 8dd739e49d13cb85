-- Rows of the queue are found by their keys, whatever is known of how many there are: tables grow from nothing
-- before anybody counts them, and a plan that goes over them compares each row with each that is asked for.

-- Takes rows out of the queue that were visited or moved.
CREATE FUNCTION take_out(of_crawl BIGINT, hosts BIGINT[], lanes SMALLINT[], bands BIGINT[], seqs BIGINT[])
RETURNS VOID LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    FOR i IN 1..cardinality(hosts) LOOP
        DELETE FROM claimed AS t
        WHERE t.host = hosts[i] AND t.crawl = of_crawl AND t.lane = lanes[i] AND t.band = bands[i] AND t.seq = seqs[i];
        DELETE FROM waiting AS w
        WHERE w.host = hosts[i] AND w.crawl = of_crawl AND w.lane = lanes[i] AND w.band = bands[i] AND w.seq = seqs[i];
    END LOOP;
END $$;

-- Begins with the worker, so that nobody who looks for one row is led along all of its crawl.
DROP INDEX claimed_by;
CREATE INDEX claimed_by ON claimed (worker, crawl, lane);

-- Planned once: with sixteen partitions a plan takes longer than what it is for.
ALTER FUNCTION take_best(BIGINT, BIGINT, INTEGER, INTEGER, BIGINT, BIGINT, BIGINT)
    SET plan_cache_mode = force_generic_plan;
