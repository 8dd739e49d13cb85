-- Copies are told from originals beside their location, and items have a word for each stretch of numbers that they
-- are in (tables/stretches.rs).
ALTER TABLE location ADD COLUMN duplicate BIGINT NOT NULL DEFAULT 0;
UPDATE location SET duplicate = 1 FROM media WHERE media.id = location.media AND media.duplicate = 1;

UPDATE item_words SET words = words || array_to_tsvector(ARRAY[
    U&'\E003' || '12.' || (rowid >> 12), U&'\E003' || '16.' || (rowid >> 16),
    U&'\E003' || '20.' || (rowid >> 20), U&'\E003' || '24.' || (rowid >> 24)]);
