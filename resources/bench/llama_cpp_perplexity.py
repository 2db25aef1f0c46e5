"""Peer of `cospadi bench forward`: llama.cpp's time for the same token ids, through llama-cpp-python.

    python llama_cpp_perplexity.py MODEL.gguf IDS.json CONTEXT THREADS REPEATS

IDS.json is a list of token ids. Every chunk of CONTEXT ids is evaluated alone, with the logits of all
its positions, in one batch. Prints one JSON object: the best tokens per second of the repeats (only
the decoding is timed), and the perplexity, which shows that both sides did the same work.
"""

import json
import math
import sys
import time

import llama_cpp
import numpy as np


def main():
    path, ids_file, context, threads, repeats = sys.argv[1:6]
    context, threads, repeats = int(context), int(threads), int(repeats)
    with open(ids_file) as file:
        ids = json.load(file)
    model = llama_cpp.Llama(
        path, n_ctx=context, n_batch=context, n_ubatch=context, n_threads=threads,
        n_threads_batch=threads, logits_all=True, verbose=False)
    chunks = [ids[i:i + context] for i in range(0, len(ids) - context + 1, context)]
    best = 0.0
    log_likelihood, scored = 0.0, 0
    for repeat in range(repeats):
        seconds = 0.0
        for chunk in chunks:
            model._ctx.kv_cache_clear()
            model._batch.set_batch(chunk, 0, True)
            start = time.perf_counter()
            model._ctx.decode(model._batch)
            seconds += time.perf_counter() - start
            if repeat == 0:
                logits = np.ctypeslib.as_array(
                    model._ctx.get_logits(), shape=(len(chunk) * model.n_vocab(),))
                logits = logits.reshape(len(chunk), -1)[:-1].astype(np.float64)
                top = logits.max(axis=1)
                total = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
                log_likelihood += (logits[np.arange(len(chunk) - 1), chunk[1:]] - total).sum()
                scored += len(chunk) - 1
        best = max(best, len(chunks) * context / seconds)
    print(json.dumps({
        "tokens_per_second": best,
        "perplexity": math.exp(-log_likelihood / scored),
        "version": "llama-cpp-python " + llama_cpp.__version__}))


main()
