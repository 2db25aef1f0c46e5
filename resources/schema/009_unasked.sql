-- Rows have nothing any more that the method was not asked for: NULL for the CR of the dense model
-- and for the ρ of methods without one. Before, these were the numbers that run.json has all the
-- same.
UPDATE runs SET cr = NULL WHERE method = 'dense';
UPDATE runs SET rho = NULL WHERE method IN
    ('dense', 'rtn', 'gptq', 'wanda', 'sparsegpt', 'replaceme', 'svd', 'fwsvd', 'asvd', 'svd-llm',
     'svd-llm-v2');
