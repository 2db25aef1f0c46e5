"""The window as a person has it: found by what a screen reader is told (AT-SPI), moved by real
events of the X server (xdotool). Nothing here knows of widgets or of the program's inside."""
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pyatspi

PROGRAM = "cospadi-workbench"
MOST_CHILDREN = 2000  # of one list or table; what is further down is not on show


def wait(what, condition, seconds=60):
    """What condition() says once it is true; ends the script where that does not happen."""
    end = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise SystemExit(f"FAIL: in {seconds} s this did not happen: {what}")
        time.sleep(0.1)


def xdotool(*words):
    done = subprocess.run(["xdotool", *map(str, words)], check=True, timeout=20,
                          stdout=subprocess.PIPE)
    return done.stdout.decode()


def fits(text, name):
    return name is None or (name.search(text) if isinstance(name, re.Pattern) else text == name)


class Window:
    """The program in a home of its own; `home` stays between starts."""

    def __init__(self, program, engine, home, model):
        self.program, self.engine, self.home, self.model = program, engine, Path(home), model
        self.process = None
        self.pictures = 0

    @property
    def runs(self):
        return self.home / ".local/share/cospadi/runs"

    def environment(self):
        unset = ("COSPADI_RUNS", "COSPADI_THREADS", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
        kept = {name: value for name, value in os.environ.items() if name not in unset}
        return {**kept, "HOME": str(self.home), "LC_ALL": "C.UTF-8", "LANGUAGE": "en"}

    def start(self, *words):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([self.program, *self.model, *words], stdout=self.log,
                                        stderr=subprocess.STDOUT, env=self.environment())
        wait("the window is there", lambda: self.find("frame", re.compile("CoSpaDi Workbench")))
        wait("the model is open", lambda: self.find("frame", re.compile(".+ – CoSpaDi")))

    def words(self):
        """What the program has written to the terminal: it has nothing to say there."""
        self.log.seek(0)
        return self.log.read().decode(errors="replace").strip()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(20)

    def cospadi(self, *words):
        done = subprocess.run([self.engine, *words], env=self.environment(), check=True,
                              stdout=subprocess.PIPE)
        return done.stdout.decode()

    # ---- what is on show

    def walk(self, at):
        try:
            state = at.getState()
            if not (state.contains(pyatspi.STATE_SHOWING) and state.contains(pyatspi.STATE_VISIBLE)):
                return
            yield at
            count = min(at.childCount, MOST_CHILDREN)
        except Exception:  # it went while it was looked at
            return
        for i in range(count):
            try:
                child = at[i]
            except Exception:
                continue
            if child is not None:
                yield from self.walk(child)

    def all(self):
        desktop = pyatspi.Registry.getDesktop(0)
        for application in desktop:
            if application is not None and application.name == PROGRAM:
                for child in application:
                    if child is not None:
                        yield from self.walk(child)

    def every(self, role, name=None, under=None):
        found = []
        for at in self.walk(under) if under is not None else self.all():
            try:
                if at.getRoleName() == role and fits(at.name, name):
                    found.append(at)
            except Exception:
                continue
        return found

    def find(self, role, name=None, under=None):
        return next(iter(self.every(role, name, under)), None)

    def need(self, role, name=None, seconds=30, under=None):
        return wait(f"{role} “{getattr(name, 'pattern', name)}” is on show",
                    lambda: self.find(role, name, under), seconds)

    def tells(self, words, seconds=60):
        """Waits until a label has these words."""
        pattern = re.compile(words)
        return wait(f"the window says “{words}”", lambda: self.find("label", pattern), seconds).name

    # ---- hands

    def middle(self, at):
        where = at.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        return where.x + where.width // 2, where.y + where.height // 2

    def hider(self, at):
        """The area beyond whose edge the middle of `at` lies; None where it is in view."""
        x, y = self.middle(at)
        around = at.parent
        while around is not None and around.getRoleName() not in ("application", "combo box"):
            try:
                edge = around.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
            except NotImplementedError:
                break
            if edge.height > 0 and not edge.y <= y < edge.y + edge.height:
                return around
            around = around.parent
        return None

    def scroll_to(self, at):
        """By the wheel, over what hides it."""
        for _ in range(200):
            around = self.hider(at)
            if around is None:
                return
            xdotool("mousemove", *self.middle(around))
            xdotool("click", 5 if self.middle(at)[1] > self.middle(around)[1] else 4)
            time.sleep(0.05)
        raise SystemExit(f"FAIL: “{at.name}” does not come into view")

    def click(self, at, *held, button=1):
        self.scroll_to(at)
        xdotool("mousemove", *self.middle(at))
        for key in held:
            xdotool("keydown", key)
        xdotool("click", button)
        for key in held:
            xdotool("keyup", key)

    def press(self, *keys):
        xdotool("key", "--clearmodifiers", *keys)

    def type(self, text):
        xdotool("type", "--clearmodifiers", "--delay", 5, text)

    def fill(self, role, name, text):
        """Into a field: all that stands there is replaced."""
        field = self.need(role, name)
        self.click(field)
        self.press("ctrl+a")
        self.type(text)
        return field

    def choose(self, name, item):
        """An item of a box that opens."""
        self.click(self.need("combo box", name))
        wait(f"“{item}” can be chosen", lambda: self.find("list item", item), 10)

        time.sleep(0.6)  # a box does not hear the click right after the one that opened it
        self.click(self.find("list item", item))
        wait(f"“{item}” is chosen", lambda: self.find("combo box", item)
             and not self.find("list item", item), 10)

    def type_into_dialog(self, path):
        """A file's name into the dialog that asks for it."""
        field = self.need("text", re.compile("^File name"))
        self.click(field)
        self.press("ctrl+a")
        self.type(str(path))
        self.press("Return")

    def page(self, name):
        self.click(self.need("page tab", name))

    def close_messages(self):
        """Reads them, and closes each."""
        words = []
        while (button := self.find("push button", "Close message")) is not None:
            words += [at.name for at in self.walk(button.parent) if at.getRoleName() == "label"]
            self.click(button)
            wait("the message is closed",
                 lambda: self.find("push button", "Close message") != button)
        return words

    def title(self):
        frame = self.find("frame", re.compile("CoSpaDi Workbench"))
        return frame.name if frame is not None else ""

    def picture(self, name):
        folder = os.environ.get("COSPADI_SCREENSHOTS")
        if folder:
            time.sleep(0.5)
            self.pictures += 1
            subprocess.run(["import", "-window", "root",
                            f"{folder}/{self.pictures:02}-{name}.png"], check=False)
