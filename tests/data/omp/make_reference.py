"""Writes reference.json: sparse codes by scikit-learn's orthogonal_mp_gram, the independent code
that the engine's batched OMP is compared with. Needs numpy and scikit-learn."""
import json
import pathlib

import numpy as np
import sklearn
from sklearn.linear_model import orthogonal_mp_gram

cases = []
for seed, (d1, k, n, s) in enumerate([(24, 16, 12, 5), (24, 40, 12, 8), (48, 44, 10, 22), (16, 16, 6, 16)]):
    rng = np.random.default_rng(seed)
    D = rng.standard_normal((d1, k)).astype(np.float32)
    D /= np.linalg.norm(D, axis=0)
    W = rng.standard_normal((d1, n)).astype(np.float32)
    D64, W64 = D.astype(np.float64), W.astype(np.float64)
    S = orthogonal_mp_gram(D64.T @ D64, D64.T @ W64, n_nonzero_coefs=s)
    # Column by column, as the engine stores matrices.
    cases.append(dict(d1=d1, k=k, n=n, s=s, dictionary=D.T.ravel().tolist(),
                      signals=W.T.ravel().tolist(), codes=np.asarray(S).T.ravel().tolist()))
out = dict(source=f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, float64", cases=cases)
pathlib.Path(__file__).with_name("reference.json").write_text(json.dumps(out))
