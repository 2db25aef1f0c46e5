-- How the matrix is stored, and what that form tells of it: a JSON object whose fields are the
-- form's own (docs/formats.md), so that a new form asks for no new column. '': of a run of before
-- 0.2, which does not say.
ALTER TABLE matrices ADD COLUMN form TEXT NOT NULL DEFAULT '';
ALTER TABLE matrices ADD COLUMN facts TEXT NOT NULL DEFAULT '';
