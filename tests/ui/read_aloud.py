#!/usr/bin/python3
"""What a screen reader is told of the window: every page is walked from outside, over AT-SPI.
    with_desktop.sh read_aloud.py WINDOW COSPADI MODEL
It ends with another status than 0 where something that takes the focus has no name, where a chart
or map is no chart to a reader, or where the keyboard moves in one and nothing is told."""
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
    """What is told as the keyboard moves in a chart."""
    words = []
    event = "object:property-change:accessible-description"

    def hear(told):
        if told.source.name == name or name is None:
            words.append(told.source.description)

    pyatspi.Registry.registerEventListener(hear, event)
    listener = threading.Thread(target=pyatspi.Registry.start, daemon=True)
    listener.start()
    at = window.need(role, name)
    window.click(at)
    window.press(key, key)
    wait(f"a value of “{at.name}” is told", lambda: words, 10)
    pyatspi.Registry.stop()
    pyatspi.Registry.deregisterEventListener(hear, event)
    listener.join(5)
    return words


def main():
    program, engine, model = sys.argv[1:4]
    bad = []
    with tempfile.TemporaryDirectory() as home:
        window = Window(program, engine, home, [model])
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
                print(f"chart “{at.name}”: {told_by_keys(window, 'chart', at.name)[-1]}")
            cells = [at.name for at in window.every("table cell")]
            if "attn_q" not in cells:
                bad.append(f"Model: the cells of the tree are {cells[:10]}")
        finally:
            window.stop()
    for line in bad:
        print("FAIL:", line)
    return 1 if bad else 0


sys.exit(main())
