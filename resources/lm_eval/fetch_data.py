#!/usr/bin/env python3
"""Writes whole data sets as JSON lines, the records as their authors published them.

    fetch_data.py FOLDER [--from MIRROR] [--] TASK...

Run with the Python of lm-eval's environment: it needs `datasets`. MIRROR is a folder that has the
data sets as the hub has them, OWNER/NAME. A file takes its name when it is whole. For each task a
line "fetched TASK ITEMS FILE" goes to stdout.
"""

import argparse
import json
import os
import sys

# task: (data set, configuration, [(split, file)]), as lm-eval 0.4.13 scores it.
TASKS = {
    "piqa": ("baber/piqa", None, [("validation", "piqa.jsonl")]),
    "hellaswag": ("Rowan/hellaswag", None, [("validation", "hellaswag.jsonl")]),
    "lambada_openai": ("EleutherAI/lambada_openai", "default", [("test", "lambada_openai.jsonl")]),
    "arc_easy": ("allenai/ai2_arc", "ARC-Easy", [("test", "arc_easy.jsonl")]),
    "arc_challenge": ("allenai/ai2_arc", "ARC-Challenge", [("test", "arc_challenge.jsonl")]),
    "sciq": ("allenai/sciq", None, [("test", "sciq.jsonl")]),
    "race": ("EleutherAI/race", "high", [("test", "race_high.jsonl")]),
    "winogrande": ("allenai/winogrande", "winogrande_xl", [("validation", "winogrande.jsonl")]),
    "boolq": ("aps/super_glue", "boolq", [("validation", "boolq.jsonl")]),
    "openbookqa": ("allenai/openbookqa", "main", [("test", "openbookqa.jsonl")]),
    "copa": ("aps/super_glue", "copa", [("validation", "copa.jsonl")]),
    "wikitext": (
        "EleutherAI/wikitext_document_level",
        "wikitext-2-raw-v1",
        [("test", "wikitext2_test.jsonl")],
    ),
    "mmlu": ("cais/mmlu", "all", [("dev", "mmlu_dev.jsonl"), ("test", "mmlu.jsonl")]),
}


def write(records, path):
    part = path + ".part"
    with open(part, "w", encoding="utf-8") as stream:
        for record in records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--from", dest="mirror")
    parser.add_argument("tasks", nargs="+", choices=sorted(TASKS))
    arguments = parser.parse_args()
    # The folder's name as it was given, whatever the locale or PYTHONIOENCODING can express.
    sys.stdout.reconfigure(encoding=sys.getfilesystemencoding(), errors="surrogateescape")

    import datasets

    for task in arguments.tasks:
        name, configuration, files = TASKS[task]
        source = os.path.join(arguments.mirror, name) if arguments.mirror else name
        if arguments.mirror and not os.path.isdir(source):
            sys.exit(f"{source}: there is no such folder")
        for split, file in files:
            records = datasets.load_dataset(source, configuration, split=split)
            if len(records) == 0:
                sys.exit(f"{name}: the split {split} is empty")
            path = os.path.join(arguments.folder, file)
            write(records, path)
        print(f"fetched {task} {len(records)} {path}", flush=True)


main()
