-- The error on calibration sequences that nothing was fitted to, beside relative_error. NULL: none
-- were held out.
ALTER TABLE runs ADD COLUMN held_out_error REAL;                      -- mean over matrices
ALTER TABLE matrices ADD COLUMN held_out_error REAL;
