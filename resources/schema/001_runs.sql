-- The index of run directories (docs/formats.md). Everything here is copied from files and can be
-- rebuilt from them; `key` is internal, `id` is the run's own name.
CREATE TABLE runs (
    key             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    directory       TEXT NOT NULL,
    created         TEXT NOT NULL,              -- ISO 8601, UTC
    status          TEXT NOT NULL,              -- finished cancelled failed interrupted paused running
    message         TEXT NOT NULL DEFAULT '',
    model           TEXT NOT NULL,
    model_sha256    TEXT NOT NULL DEFAULT '',
    method          TEXT NOT NULL,
    solver          TEXT NOT NULL DEFAULT '',
    layers          TEXT NOT NULL DEFAULT '',
    cr              REAL,
    rho             REAL,
    accounting      TEXT NOT NULL DEFAULT '',
    iterations      INTEGER NOT NULL DEFAULT 0, -- 0 = the solver's default
    power_iterations INTEGER NOT NULL DEFAULT 0,
    seed            INTEGER NOT NULL DEFAULT 0,
    matrices        INTEGER NOT NULL DEFAULT 0, -- finished ones
    layer_bytes     INTEGER NOT NULL DEFAULT 0, -- of the files in matrices/
    dense_bytes     INTEGER NOT NULL DEFAULT 0, -- 2 d1 d2 over the same matrices
    relative_error  REAL,                       -- mean over matrices, whitened
    seconds         REAL,
    specification   TEXT NOT NULL,              -- JSON, as in run.json
    starred         INTEGER NOT NULL DEFAULT 0,
    archived        INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX runs_created ON runs (created DESC, key DESC);
CREATE INDEX runs_method ON runs (method, layers, cr);

CREATE TABLE matrices (
    run             INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    position        INTEGER NOT NULL,           -- order in result.json
    name            TEXT NOT NULL,
    kind            TEXT NOT NULL DEFAULT '',
    block           INTEGER NOT NULL DEFAULT 0,
    d1              INTEGER NOT NULL DEFAULT 0,
    d2              INTEGER NOT NULL DEFAULT 0,
    k               INTEGER NOT NULL DEFAULT 0,
    s               INTEGER NOT NULL DEFAULT 0,
    rank            INTEGER NOT NULL DEFAULT 0,
    bytes           INTEGER NOT NULL DEFAULT 0,
    dense_bytes     INTEGER NOT NULL DEFAULT 0,
    relative_error  REAL,
    gram_shift      REAL NOT NULL DEFAULT 0,
    replaced_atoms  INTEGER NOT NULL DEFAULT 0,
    iterations      INTEGER NOT NULL DEFAULT 0,
    seconds         REAL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluations (
    run             INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    file            TEXT NOT NULL,              -- name in evaluations/
    kind            TEXT NOT NULL,
    text            TEXT NOT NULL DEFAULT '',
    text_sha256     TEXT NOT NULL DEFAULT '',
    context         INTEGER NOT NULL DEFAULT 0,
    max_tokens      INTEGER NOT NULL DEFAULT 0,
    score           TEXT NOT NULL DEFAULT '',
    perplexity      REAL,
    tokens          INTEGER NOT NULL DEFAULT 0,
    seconds         REAL,
    created         TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run, file)
) STRICT, WITHOUT ROWID;
