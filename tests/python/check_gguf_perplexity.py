"""Holds the engine's perplexity of exported GGUF files against llama.cpp's, over the same tokens.

    python check_gguf_perplexity.py --cospadi PROGRAM --text FILE [--model default] [--types F16,Q8_0,Q4_K]
                                    [--context 512] [--windows 8] [--threads N]

For every type the model is exported (`--dtype` of F32, F16 and BF16, else `--quantize`), read by
`cospadi evaluate --perplexity FILE` and by llama-cpp-python, each window from an empty cache, every token
but a window's first predicted. Prints a line of JSON a type: perplexities, their relative difference and the
size of the file. Exit status 1 where the difference is above --tolerance (0.01: llama.cpp keeps keys and
values in float16 and, with quantised weights, rounds what they are multiplied with to 8 bits). Says so and
ends with status 0 where llama-cpp-python is not there.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from llama_cpp import Llama
except ImportError as error:
    print(f"skipped: this Python has no {error.name}")
    sys.exit(0)


def theirs(path, text, context, windows, threads):
    """llama.cpp's perplexity of the first windows of the text, and the tokens that it predicted."""
    model = Llama(model_path=str(path), n_ctx=context, n_batch=context, logits_all=True, verbose=False,
                  n_threads=threads, n_threads_batch=threads)
    ids = model.tokenize(text, add_bos=False, special=False)
    total, count = 0.0, 0
    for begin in range(0, min(windows, len(ids) // context) * context, context):
        window = ids[begin:begin + context]
        model.reset()
        model.eval(window)
        scores = np.array(model.scores[:context], dtype=np.float64)
        top = scores.max(axis=1, keepdims=True)
        logs = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
        total -= sum(logs[at - 1, window[at]] for at in range(1, context))
        count += context - 1
    return math.exp(total / count), count


def run(program, store, *arguments):
    command = [program, *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True,
                          env={**os.environ, "COSPADI_RUNS": str(store)})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stdout or done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cospadi", required=True)
    parser.add_argument("--text", required=True, type=pathlib.Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--types", default="F16,Q8_0,Q6_K,Q5_K,Q4_K,Q4_K_M")
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--windows", type=int, default=8)
    parser.add_argument("--threads", type=int, help="of llama.cpp, which waits busily: fewer beside other work")
    parser.add_argument("--tolerance", type=float, default=0.01)
    options = parser.parse_args()
    text = options.text.read_bytes()
    worst = 0.0
    for kind in options.types.split(","):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.gguf"
            plain = kind in ("F32", "F16", "BF16")
            made = run(options.cospadi, folder, "export", options.model, "--format", "gguf", "--out", path,
                       *(("--dtype", kind.lower()) if plain else ("--quantize", kind)))
            ours = run(options.cospadi, folder, "evaluate", path, "--perplexity", options.text, "--context",
                       options.context, "--max-tokens", options.context * options.windows)
            perplexity, tokens = theirs(path, text, options.context, options.windows, options.threads)
            assert tokens == ours["tokens"], f"{tokens} tokens there, {ours['tokens']} here"
            difference = abs(perplexity / ours["perplexity"] - 1)
            worst = max(worst, difference)
            print(json.dumps({"type": kind, "bytes": made["bytes"], "tokens": tokens,
                              "perplexity": round(ours["perplexity"], 4),
                              "llama.cpp": round(perplexity, 4), "difference": round(difference, 6),
                              "fallbacks": made.get("fallbacks", [])}), flush=True)
    sys.exit(0 if worst <= options.tolerance else 1)


if __name__ == "__main__":
    main()
