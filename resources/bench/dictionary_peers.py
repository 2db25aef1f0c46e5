"""Peers of `cospadi bench solver`: other programs' OMP and K-SVD steps on the same matrices.

    python dictionary_peers.py FOLDER

FOLDER/problem.json: {"d1", "d2", "k", "s", "threads", "omp_columns", "atoms", "exact_atoms"}; beside it
float32 files, column-major: w.f32 (d1, d2), d.f32 (d1, k) with unit-norm atoms, s.f32 (k, d2) codes of
our own OMP. Prints a JSON list, an object a measurement: step, peer, columns or atoms, seconds, error
(relative to w), overlap (share of our support that the peer chose too); or peer and missing.
"""

import importlib
import json
import os
import sys
import time
from importlib.metadata import version

folder = sys.argv[1]
with open(os.path.join(folder, "problem.json")) as file:
    problem = json.load(file)
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(problem["threads"])

import numpy as np  # noqa: E402 (reads the number of threads when it is loaded)


def load(name, rows, columns):
    values = np.fromfile(os.path.join(folder, name), dtype=np.float32)
    return values.reshape((rows, columns), order="F")


d1, d2, k, s = (problem[name] for name in ("d1", "d2", "k", "s"))
w, d, ours = load("w.f32", d1, d2), load("d.f32", d1, k), load("s.f32", k, d2)
results = []


def omp(peer, columns, encode):
    x = w[:, :columns]
    start = time.perf_counter()
    codes = encode(x)
    seconds = time.perf_counter() - start
    codes = np.asarray(codes, dtype=np.float64)
    both = np.count_nonzero((codes != 0) & (ours[:, :columns] != 0))
    results.append({
        "step": "omp", "peer": peer, "columns": columns, "seconds": seconds,
        "error": float(np.linalg.norm(x - d @ codes) / np.linalg.norm(x)),
        "overlap": both / max(1, np.count_nonzero(ours[:, :columns]))})


def update(step, peer, atoms, sweep):
    """The first atoms alone: what the others explain is taken out of the target before."""
    target = (w.astype(np.float64) - d[:, atoms:].astype(np.float64) @ ours[atoms:])
    dictionary, codes = d[:, :atoms].astype(np.float64), ours[:atoms].astype(np.float64)
    start = time.perf_counter()
    dictionary, codes = sweep(target, dictionary, codes)
    seconds = time.perf_counter() - start
    results.append({
        "step": step, "peer": peer, "atoms": atoms, "seconds": seconds,
        "error": float(np.linalg.norm(target - dictionary @ codes) / np.linalg.norm(w))})


def with_package(package, distribution, measure):
    try:
        measure(importlib.import_module(package), f"{distribution} {version(distribution)}")
    except ImportError as error:
        results.append({"peer": distribution, "missing": str(error)})


def measure_spams(spams, peer):
    x, dictionary = np.asfortranarray(w), np.asfortranarray(d)
    # eps must be given: without it spams-bin 2.6.14 reads an unset threshold in single precision
    # and codes nothing, or everything, from one run to the next.
    omp(peer, d2, lambda _: spams.omp(
        x, dictionary, L=s, eps=0.0, return_reg_path=False,
        numThreads=problem["threads"]).toarray())


def measure_sklearn(linear_model, peer):
    # In double precision, as by default; columns are independent, so a part of them is enough.
    def encode(x):
        x, dictionary = x.astype(np.float64), d.astype(np.float64)
        return linear_model.orthogonal_mp_gram(
            dictionary.T @ dictionary, dictionary.T @ x, n_nonzero_coefs=s)
    omp(peer, problem["omp_columns"], encode)


def measure_ksvd(ksvd, peer):
    # Its step leaves the columns out in which an atom has a negative coefficient: half of ours.
    def sweep(target, dictionary, codes):
        model = ksvd.ApproximateKSVD(n_components=dictionary.shape[1])
        rows, gamma = model._update_dict(
            np.ascontiguousarray(target.T), np.ascontiguousarray(dictionary.T),
            np.ascontiguousarray(codes.T))
        return rows.T, gamma.T
    update("approximate", peer, problem["atoms"], sweep)


def measure_dictlearn(module, peer):
    def sweep_of(name):
        method = module.get_update_method(name)

        def sweep(target, dictionary, codes):
            return module.atom_sweep(
                target, dictionary, codes, ops=module.LinearOps(), update_atom=method.func,
                rng=np.random.default_rng(0))
        return sweep
    update("approximate", peer + " aksvd", problem["atoms"], sweep_of("aksvd"))
    update("exact", peer + " ksvd", problem["exact_atoms"], sweep_of("ksvd"))


with_package("spams", "spams-bin", measure_spams)
with_package("sklearn.linear_model", "scikit-learn", measure_sklearn)
with_package("ksvd", "ksvd", measure_ksvd)
with_package("dictlearn._update", "dictlearn", measure_dictlearn)
print(json.dumps(results))
