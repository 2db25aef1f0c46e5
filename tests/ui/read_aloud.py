#!/usr/bin/python3
"""What a screen reader is told of the window: every page is walked from outside, over AT-SPI.
    with_desktop.sh read_aloud.py WINDOW COSPADI MODEL
It ends with another status than 0 where something that takes the focus has no name, where a chart
or map is no chart to a reader, or where the keyboard moves in one and nothing is told. A sweep of
two runs lies there before it starts, so that there are patterns, curves and maps to read."""
import re
import sys
import tempfile
import threading

import pyatspi

from by_hand import Window, wait

PAGES = "Model Plan Explore Whole Monitor Pattern Runs Evaluate Tables".split()
# Areas around others, which Qt calls focusable and no key reaches; what stands in them is walked.
AREAS = ("filler", "label", "table cell", "scroll pane")


def label_of(at):
    for relation in at.getRelationSet():
        if relation.getRelationType() == pyatspi.RELATION_LABELLED_BY:
            return relation.getTarget(0).name
    return ""


def nameless(window, page):
    """Of all that takes the focus: what it is about, by its name, or by its label."""
    bad = []
    for at in window.all():
        role = at.getRoleName()
        if not at.getState().contains(pyatspi.STATE_FOCUSABLE) or role in AREAS:
            continue
        inside = at.parent is not None and at.parent.getRoleName() in ("combo box", "spin button")
        named = label_of(at) if role == "combo box" else at.name or label_of(at)
        if not named.strip() and not inside:
            bad.append(f"{page}: {role} “{at.name}” {at.description[:40]}")
    return bad


def told_by_keys(window, role, name, key="Right"):
    """What is told as the keyboard moves in a chart or map: children that take the focus."""
    words = []
    event = "object:state-changed:focused"

    def hear(told):
        source = told.source
        if told.detail1 and source.parent is not None and source.parent.name == name:
            words.append(source.name)

    pyatspi.Registry.registerEventListener(hear, event)
    listener = threading.Thread(target=pyatspi.Registry.start, daemon=True)
    listener.start()
    at = window.need(role, name)
    window.click(at)
    # Again while there is nothing yet to move in.
    wait(f"a value of “{at.name}” is told", lambda: words or window.press(key, key), 120)
    pyatspi.Registry.stop()
    pyatspi.Registry.deregisterEventListener(hear, event)
    listener.join(5)
    return words


def read(window, role, at):
    print(f"{role} “{at.name}”: {told_by_keys(window, role, at.name)[-1]}")


def read_patterns(window):
    window.page("Pattern")
    wait("two maps of the pattern", lambda: window.find("image", "Sparsity pattern"), 20)
    told = told_by_keys(window, "image", "Sparsity pattern")[-1]
    print(f"map “Sparsity pattern”: {told}")
    return [] if re.search(r"atom \d+ .*column \d+", told) else [f"Pattern: the map tells “{told}”"]


def read_runs(window):
    window.page("Runs")
    window.click(window.need("table cell", re.compile("cospadi-free")))
    window.press("ctrl+a")
    shown = "error by matrix"
    for comparison in (shown, "error map: blocks × kinds", "parallel coordinates"):
        if comparison != shown:
            window.choose(shown, comparison)
            shown = comparison
        chart = wait(f"a chart of “{comparison}”", lambda: window.every("chart"), 20)[0]
        read(window, "chart", chart)


def read_charts(window, page):
    """Each chart of a page, once there is something in it."""
    window.page(page)
    for at in wait(f"charts of {page}", lambda: window.every("chart"), 20):
        read(window, "chart", at)


def read_monitor(window):
    """A finished run that is opened again: its curves, by keyboard."""
    window.page("Runs")
    window.click(window.need("table cell", re.compile("cospadi-free")))
    window.press("Return")
    wait("Monitor is in front", lambda: window.find("page tab list", "Monitor"), 20)
    read_charts(window, "Monitor")


def read_sweep(window):
    window.page("Runs")
    window.choose("parallel coordinates", "sweep: settings × settings")
    table = window.need("table", "Runs of the sweep")
    cells = [at.name for at in window.every("table cell", under=table)]
    print(f"table “Runs of the sweep”: {cells[:4]}")
    return [] if any(cells) else ["Runs: the sweep's cells have no words"]


def main():
    program, engine, model = sys.argv[1:4]
    bad = []
    with tempfile.TemporaryDirectory() as home:
        window = Window(program, engine, home, [model])
        window.cospadi("sweep", model, "--method", "cospadi-free", "--rho", "1.5,2",
                       "--name", "rhos")
        try:
            window.start()
            window.press("Escape")  # the first steps
            wait("the first steps are closed", lambda: not window.find("dialog"))
            for page in PAGES:
                window.page(page)
                wait(f"{page} is in front",
                     lambda: window.find("page tab list", page), 20)
                bad += nameless(window, page)
            window.page("Model")
            for at in window.every("chart"):
                read(window, "chart", at)
            bad += read_patterns(window)
            read_runs(window)
            bad += read_sweep(window)
            read_monitor(window)
            read_charts(window, "Explore")  # Whole wants a tokenizer, which this model lacks
            window.page("Model")
            cells = [at.name for at in window.every("table cell")]
            if "attn_q" not in cells:
                bad.append(f"Model: the cells of the tree are {cells[:10]}")
        finally:
            window.stop()
    for line in bad:
        print("FAIL:", line)
    return 1 if bad else 0


sys.exit(main())
