-- What lm-eval measured: one row a task, metric and filter of an evaluations/lm-eval-*.json.
CREATE TABLE task_results (
    run             INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    file            TEXT NOT NULL,              -- name in evaluations/
    task            TEXT NOT NULL,
    metric          TEXT NOT NULL,
    filter          TEXT NOT NULL DEFAULT '',
    value           REAL,                       -- NULL: not a number
    stderr          REAL,
    samples         INTEGER NOT NULL DEFAULT 0, -- that were scored
    shots           INTEGER NOT NULL DEFAULT -1,-- examples in the prompt; -1 unknown
    version         TEXT NOT NULL DEFAULT '',   -- of the task
    data_sha256     TEXT NOT NULL DEFAULT '',   -- of a local file in the place of its data set
    higher_is_better INTEGER NOT NULL DEFAULT 1,
    created         TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run, file, task, metric, filter)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_results_task ON task_results (task, metric, run);
