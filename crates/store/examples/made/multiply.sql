-- Makes a large library out of a small one, within the database: every item, its address, its words, its look
-- and the page that shows it, so many times, each copy some metres from the others.
--
--   psql -v times=20 -f multiply.sql DATABASE
--
-- For `search.rs`: minutes instead of the hour that a million items take as a crawl writes them. Cells of
-- the map are those of the small library, with as many times the items.

\set ON_ERROR_STOP on
BEGIN;
-- What is copied is whole already.
SET LOCAL session_replication_role = replica;
SET LOCAL synchronous_commit = off;

CREATE FUNCTION pg_temp.multiply(of_table TEXT, times INTEGER, changes JSONB) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    names TEXT;
    given TEXT;
BEGIN
    SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position),
           string_agg(coalesce(changes ->> column_name, 't.' || quote_ident(column_name)), ', ' ORDER BY ordinal_position)
    INTO names, given
    FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = of_table AND is_generated = 'NEVER';
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I AS t, generate_series(1, %s) AS k',
                   of_table, names, given, of_table, times - 1);
END $$;

SELECT (SELECT max(id) FROM media) AS media, (SELECT max(id) FROM page) AS page,
       (SELECT max(id) FROM media_address) AS address, (SELECT max(next) FROM alike_number) AS number \gset

-- The index of words is made sooner than it is added to.
DROP INDEX item_by_words;
SELECT pg_temp.multiply('page', :times, jsonb_build_object(
    'id', 't.id + k * ' || :page, 'url', 't.url || ''?'' || k',
    'url_id', 'substring(sha256(t.url_id || int4send(k)), 1, length(t.url_id))'));
SELECT pg_temp.multiply('media', :times, jsonb_build_object(
    'id', 't.id + k * ' || :media, 'sha256', 'sha256(t.sha256 || int4send(k))', 'path', 't.path || k'));
SELECT pg_temp.multiply('location', :times, jsonb_build_object(
    'media', 't.media + k * ' || :media, 'lat', 't.lat + 0.002 * (random() - 0.5)',
    'lon', 'greatest(-180, least(180, t.lon + 0.002 * (random() - 0.5)))'));
SELECT pg_temp.multiply('item_words', :times, jsonb_build_object('rowid', 't.rowid + k * ' || :media));
SELECT pg_temp.multiply('item_terms', :times, jsonb_build_object('media', 't.media + k * ' || :media));
SELECT pg_temp.multiply('media_address', :times, jsonb_build_object(
    'id', 't.id + k * ' || :address, 'url', 't.url || ''?'' || k', 'media', 't.media + k * ' || :media,
    'url_id', 'substring(sha256(t.url_id || int4send(k)), 1, length(t.url_id))'));
SELECT pg_temp.multiply('reference', :times, jsonb_build_object(
    'page', 't.page + k * ' || :page, 'media_address', 't.media_address + k * ' || :address));
SELECT pg_temp.multiply('media_host', :times, jsonb_build_object('media', 't.media + k * ' || :media));
SELECT pg_temp.multiply('media_crawl', :times, jsonb_build_object('media', 't.media + k * ' || :media));
SELECT pg_temp.multiply('description', :times, jsonb_build_object(
    'media', 't.media + k * ' || :media, 'place', 't.place + k * ' || :number));
SELECT pg_temp.multiply('alike', :times, jsonb_build_object(
    'media', 't.media + k * ' || :media, 'number', 't.number + k * ' || :number));
CREATE INDEX item_by_words ON item_words USING gin (words);

UPDATE word SET items = items * :times, pages = pages * :times;
UPDATE cell SET count = count * :times, lat = lat * :times, lon = lon * :times;
UPDATE figure SET count = count * :times;
UPDATE alike_cluster SET members = members * :times;
UPDATE alike_sorted SET items = items * :times;
UPDATE alike_number SET next = next * (:times + 1);
SELECT setval(pg_get_serial_sequence('media', 'id'), (SELECT max(id) FROM media)),
       setval(pg_get_serial_sequence('page', 'id'), (SELECT max(id) FROM page)),
       setval(pg_get_serial_sequence('media_address', 'id'), (SELECT max(id) FROM media_address));
COMMIT;
VACUUM ANALYZE;
