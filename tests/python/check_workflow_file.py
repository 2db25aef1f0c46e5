"""Has an engine itself read a file that `cospadi sweep FILE --on ENGINE` made.

    python check_workflow_file.py snakemake|kubernetes|skypilot FILE

Snakemake plans all of it without starting anything and tells how many jobs each rule has; a job of
Kubernetes is held against the API's schema as kubernetes-validate has it; SkyPilot reads its task by
its own schema. Prints {"read": …}, or {"skipped": why} where the engine is not in this Python.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys


def skip_without(package):
    if importlib.util.find_spec(package) is None:
        print(json.dumps({"skipped": f"this Python has no {package}"}))
        sys.exit(0)


def snakemake(path):
    skip_without("snakemake")
    planned = subprocess.run(
        [sys.executable, "-m", "snakemake", "--snakefile", path, "--cores", "1", "--dry-run"],
        capture_output=True, text=True, check=False, cwd=os.path.dirname(path))
    if planned.returncode != 0:
        raise SystemExit(planned.stdout + planned.stderr)
    table = (planned.stdout + planned.stderr).split("Job stats:")[1].split("\n\n")[0]
    counts = dict(re.findall(r"^(\w+)\s+(\d+)$", table, re.MULTILINE))
    return {rule: int(count) for rule, count in counts.items() if rule not in ("job", "total")}


def kubernetes(path):
    skip_without("kubernetes_validate")
    import kubernetes_validate
    import yaml

    with open(path, encoding="utf-8") as file:
        job = yaml.safe_load(file)
    kubernetes_validate.validate(job, kubernetes_validate.latest_version(), strict=True)
    return kubernetes_validate.latest_version()


def skypilot(path):
    skip_without("sky")
    os.environ["SKYPILOT_DISABLE_USAGE_COLLECTION"] = "1"
    import yaml
    from sky.utils import common_utils, schemas

    with open(path, encoding="utf-8") as file:
        task = yaml.safe_load(file)
    common_utils.validate_schema(task, schemas.get_task_schema(), "the task: ")
    return task["name"]


if __name__ == "__main__":
    print(json.dumps({"read": globals()[sys.argv[1]](sys.argv[2])}))
