#!/usr/bin/env python3
"""Condenses what lm-eval said into reference.json, which tst_tasks compares the native tasks with.

    cospadi lm-eval default --tasks piqa,... --limit 200 --data DATA --out KEPT
    python make_reference.py OUT KEPT [KEPT ...]

For every item: the first 16 digits of the SHA-256 of each (context, continuation) pair, and what
lm-eval was answered. For every task: version, shots, metrics, and the SHA-256 of the data.
"""
import hashlib
import json
import pathlib
import sys


def digest(context, continuation):
    return hashlib.sha256((context + "\0" + continuation).encode()).hexdigest()[:16]


def pairs(sample):
    arguments = sample["arguments"]
    for index in range(len(arguments)):
        pair = arguments[f"gen_args_{index}"]
        yield (pair["arg_0"], pair["arg_1"]) if "arg_1" in pair else ("", pair["arg_0"])


def main(out, folders):
    reference = {}
    for folder in folders:
        results_file = sorted(pathlib.Path(folder).rglob("results*.json"))[-1]
        results = json.loads(results_file.read_text())
        for task, metrics in results["results"].items():
            if task not in results["versions"] or task not in results["configs"]:
                continue  # a group
            stamp = results_file.stem.split("_", 1)[1]
            lines = (results_file.parent / f"samples_{task}_{stamp}.jsonl").read_text()
            items = []
            for sample in map(json.loads, lines.splitlines()):
                answers = sample["filtered_resps"]
                rolling = not isinstance(answers[0], list)
                item = {
                    "prompts": [digest(*pair) for pair in pairs(sample)],
                    "log_likelihoods": [
                        round(float(a if rolling else a[0]), 5) for a in answers
                    ],
                }
                if not rolling:
                    item["greedy"] = [a[1] == "True" for a in answers]
                items.append((sample["doc_id"], item))
            reference[task] = {
                "version": str(results["versions"][task]),
                "shots": results["n-shot"].get(task, 0),
                "metrics": {
                    name.removesuffix(",none"): value
                    for name, value in metrics.items()
                    if name.endswith(",none")
                },
                "items": [item for _, item in sorted(items, key=lambda pair: pair[0])],
            }
    text = json.dumps(reference, indent=None, separators=(",", ":"), sort_keys=True)
    pathlib.Path(out).write_text(text.replace('{"greedy"', '\n{"greedy"') + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
