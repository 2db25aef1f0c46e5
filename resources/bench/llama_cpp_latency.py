"""Peer of `cospadi bench latency`: llama.cpp's times for one user, through llama-cpp-python.

    python llama_cpp_latency.py MODEL.gguf STUDY.json

STUDY.json: {"prompts": [[token id, …], …], "tokens": n, "threads": n}. Each prompt goes through an
empty context, then the likeliest token after another until there are n. The first prompt goes through
once more before them, and does not count. Prints one JSON object: for each prompt the seconds to the
first token and those between two tokens, the tokens themselves, and the version.
"""

import json
import sys
import time

import llama_cpp
import numpy as np


def generate(model, prompt, tokens):
    model._ctx.kv_cache_clear()
    chosen = []
    start = time.perf_counter()
    first = 0.0
    for i in range(tokens):
        ids, past = (prompt, 0) if i == 0 else (chosen[-1:], len(prompt) + i - 1)
        model._batch.set_batch(ids, past, False)
        model._ctx.decode(model._batch)
        logits = np.ctypeslib.as_array(
            llama_cpp.llama_get_logits_ith(model._ctx.ctx, -1), shape=(model.n_vocab(),))
        chosen.append(int(logits.argmax()))
        if i == 0:
            first = time.perf_counter() - start
    seconds = time.perf_counter() - start
    return {"first_token": first, "per_token": (seconds - first) / (tokens - 1), "tokens": chosen}


def main():
    path, study_file = sys.argv[1:3]
    with open(study_file) as file:
        study = json.load(file)
    prompts, tokens = study["prompts"], study["tokens"]
    longest = max(len(prompt) for prompt in prompts)
    model = llama_cpp.Llama(
        path, n_ctx=longest + tokens, n_batch=longest, n_ubatch=longest,
        n_threads=study["threads"], n_threads_batch=study["threads"], verbose=False)
    generate(model, prompts[0], tokens)
    print(json.dumps({
        "prompts": [generate(model, prompt, tokens) for prompt in prompts],
        "version": "llama-cpp-python " + llama_cpp.__version__}))


main()
