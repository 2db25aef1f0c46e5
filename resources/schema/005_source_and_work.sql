-- What the compressed layers take in the model's own file, and work in core-seconds beside the
-- wall-clock `seconds`. '' and 0, NULL: of a run that does not say.
ALTER TABLE runs ADD COLUMN source_type TEXT NOT NULL DEFAULT '';     -- e.g. Q4_1; Q4_K, Q6_K
ALTER TABLE runs ADD COLUMN source_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN core_seconds REAL;
ALTER TABLE matrices ADD COLUMN source_type TEXT NOT NULL DEFAULT '';
ALTER TABLE matrices ADD COLUMN source_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matrices ADD COLUMN core_seconds REAL;
