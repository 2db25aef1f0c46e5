-- What people add to runs, and what each run was made with.
CREATE TABLE tags (
    run             INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    tag             TEXT NOT NULL,
    PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_tag ON tags (tag, run);

CREATE TABLE notes (
    run             INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    created         TEXT NOT NULL,
    text            TEXT NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE environment (
    run             INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    name            TEXT NOT NULL,
    value           TEXT NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
