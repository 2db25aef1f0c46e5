-- Of `seconds`, what the solver's two phases took; NULL: it has none, or the run does not say. And
-- what a token's product takes in the form that is stored; 0: of a run that does not say.
ALTER TABLE matrices ADD COLUMN coding_seconds REAL;                  -- S given D
ALTER TABLE matrices ADD COLUMN dictionary_seconds REAL;              -- D given S
ALTER TABLE matrices ADD COLUMN active_atoms INTEGER NOT NULL DEFAULT 0;     -- K_active
ALTER TABLE matrices ADD COLUMN multiplications INTEGER NOT NULL DEFAULT 0;  -- a token
