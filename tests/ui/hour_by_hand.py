#!/usr/bin/python3
"""An hour with the window, made short: a new user, a first run, an ablation with seeds, patterns
compared, tasks, a table, a figure, and the next start, which has lost nothing.
    with_desktop.sh hour_by_hand.py WINDOW COSPADI
Real keys and clicks on the real programs with the default model. It ends with another status than
0 where something does not happen. COSPADI_SCREENSHOTS=DIR keeps a picture of every station."""
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from by_hand import Window, wait

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


def runs(window, status="finished"):
    return [run for run in json.loads(window.cospadi("runs", "list", "--json"))["runs"]
            if run["status"] == status]


def require(holds, words):
    if not holds:
        raise SystemExit(f"FAIL: {words}")


def told(window, *patterns):
    """Each of these stands as a message, the oldest first, and nothing else; closes them."""
    for pattern in patterns:
        window.tells(pattern)
    words = window.close_messages()
    fits = len(words) == len(patterns) and all(map(re.search, patterns, words))
    require(fits, f"messages {words} instead of {list(patterns)}")


def first_minute(window):
    window.start()
    window.need("dialog", "First steps")
    window.picture("first-steps")
    window.click(window.need("push button", re.compile("^Try one block")))
    window.tells("7 matrices take", 180)
    window.picture("first-run")
    told(window, "7 matrices take")
    require(len(runs(window)) == 1, "one run is stored")


def ablation(window):
    """ρ and iterations with two seeds, of one matrix: eight runs of K-SVD."""
    window.page("Model")
    window.fill("text", "Select layers by regular expression", r"blk\.0\.attn_k$")
    window.press("Return")
    window.tells("1 of 210 layers selected")
    window.page("Plan")
    window.choose("fast", "K-SVD")
    for field, values in (("List of ρ", "1.5 2"), ("List of iterations", "2 6"),
                          ("List of seeds", "1 2"), ("Name of the sweep", "by hand")):
        window.fill("text", field, values)
    window.need("label", re.compile("What the plan will take|8 runs of 1 layer"))
    window.picture("plan")
    window.press("ctrl+Return")
    wait("nine runs are finished", lambda: len(runs(window)) == 9, 300)
    window.tells("All 8 runs are finished")
    window.picture("ablation-done")
    told(window, "All 8 runs are finished")
    window.page("Runs")
    wait("the list has them", lambda: len(window.every("table cell", re.compile("ksvd"))) >= 8)
    window.fill("text", "Filter the runs", "sweep=\"by hand\"")
    wait("the others are hidden", lambda: not window.find("table cell", re.compile("fast")))
    window.click(window.need("table cell", re.compile("ksvd")))
    window.press("ctrl+a")
    window.choose("error by matrix", "ablation: a value over a setting")
    window.need("combo box", "error")
    window.need("combo box", "iterations")
    chart = window.need("chart", "Comparison of the selected runs")
    window.click(chart)
    window.press("Right")  # told to a screen reader
    wait("the chart tells its first point", lambda: "0.0" in chart.description, 10)
    require("±" in chart.description,
            f"no deviation over the seeds is told: {chart.description}")
    window.picture("ablation")
    told(window)


def patterns(window):
    """The first run's pattern beside that of a run of the ablation."""
    window.page("Pattern")
    window.need("image", "Sparsity pattern")
    window.choose("none: choose one to compare", re.compile(r"ksvd.* ρ 1\.5"))
    window.need("image", re.compile("^Difference"))
    window.picture("patterns-compared")
    told(window)


def tasks(window):
    """Of the dense model, on the first ten of the samples that ship."""
    window.page("Evaluate")
    window.fill("spin button", "Items per task", "10")
    window.press("Return")
    window.click(window.need("push button", "Evaluate"))
    wait("the run of the dense model is there",
         lambda: any("dense" in run["id"] for run in runs(window)), 240)
    wait("a task has its interval", lambda: window.find("table cell", re.compile(r"^\d.*(±|\()")))
    window.picture("tasks")
    told(window, "results on a sample, not on the whole task")


def table(window):
    window.page("Tables")
    window.fill("text", "Name of the table", "first")
    window.click(window.need("push button", "Save"))
    window.picture("table")
    window.click(window.need("push button", "Save .tex…"))
    path = window.home / "table.tex"
    window.type_into_dialog(path)
    wait("the table is written", path.exists, 20)
    require("\\toprule" in path.read_text(), "the table is one for LaTeX")
    told(window, "The table is saved as first", r"Saved .*table\.tex")


def figure(window):
    window.page("Runs")
    chart = window.need("chart", "Comparison of the selected runs")
    window.click(window.need("push button", "Export"))
    window.need("dialog", re.compile("."))
    path = window.home / "figure.svg"
    window.fill("text", "File", str(path))
    window.picture("export")
    window.press("Return")
    wait("the figure is written", path.exists, 20)
    require("<svg" in path.read_text(), "the figure is an SVG")
    told(window, r"Saved .*figure\.svg")


def next_start(window):
    """Nothing is lost, and nothing is said that was not asked for."""
    before = {run["id"] for run in runs(window)}
    window.press("ctrl+q")
    wait("the window is gone", lambda: window.process.poll() is not None)
    require(window.process.returncode == 0, f"it ended with {window.process.returncode}")
    window.start()
    window.need("label", re.compile("8 runs of 1 layer"))
    window.tells(r"\b10 runs$")
    require(window.find("dialog") is None, "a dialog nobody asked for")
    told(window)
    require(window.words() == "", f"the program says “{window.words()}”")
    require({run["id"] for run in runs(window)} == before, "all runs are there")
    window.picture("next-start")
    window.page("Tables")
    window.choose("New table", "first")
    name = window.need("text", "Name of the table")
    wait("the saved table is back", lambda: name.queryText().getText(0, -1) == "first", 20)
    told(window)
    window.press("ctrl+q")
    wait("the window is gone", lambda: window.process.poll() is not None)


def main():
    program, engine = sys.argv[1:3]
    model = Path.home() / ".local/share/cospadi/models" / MODEL
    if not model.exists():
        print(f"SKIP: {MODEL} is not there (./run fetches it)")
        return 77
    with tempfile.TemporaryDirectory() as home:
        models = Path(home) / ".local/share/cospadi/models"
        models.mkdir(parents=True)
        (models / MODEL).symlink_to(model)  # as ./run has fetched it
        window = Window(program, engine, home, [])
        try:
            for station in (first_minute, ablation, patterns, tasks, table, figure,
                            next_start):
                station(window)
                print(station.__name__, "done", flush=True)
        except SystemExit:
            window.picture("failed")
            raise
        finally:
            window.stop()
    return 0


sys.exit(main())
