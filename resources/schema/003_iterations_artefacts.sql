-- The course of every matrix and the files of a run. docs/formats.md describes the packed columns.
-- events_stamp says which events.jsonl the rows of `iterations` were read from ("bytes:nanoseconds",
-- size and time of change); '' = none has been read, as of a run that was still at work.
ALTER TABLE runs ADD COLUMN events_stamp TEXT NOT NULL DEFAULT '';

CREATE TABLE iterations (
    run             INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    position        INTEGER NOT NULL,           -- in the order in which the matrices were begun
    matrix          TEXT NOT NULL,
    count           INTEGER NOT NULL,           -- iterations
    last_error      REAL,                       -- whitened, of the last one
    phases          TEXT NOT NULL,              -- JSON, e.g. [["orthogonal",2],["general",20]]
    series          BLOB NOT NULL,              -- packed columns
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE artefacts (
    run             INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    path            TEXT NOT NULL,              -- below the run's directory
    kind            TEXT NOT NULL,              -- record matrix model evaluation export figure other
    bytes           INTEGER NOT NULL,
    PRIMARY KEY (run, path)
) STRICT, WITHOUT ROWID;
