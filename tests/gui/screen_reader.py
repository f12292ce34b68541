#!/usr/bin/python3
"""Reads the window as a screen reader does: from another process, over AT-SPI.

    screen_reader.py STRATA STRATA_GUI EXAMPLES     on an X server and a session bus of their own

Every widget that takes the focus has a name, lists report rows, columns and what their cells say,
and moving the focus is announced. Ends with 1 and a line for each thing that is not so.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PATIENCE_S = 60  # for what has to come
problems = []


def complain(words):
    problems.append(words)
    print("FAILED:", words, flush=True)


def settle(ms=50):
    """Lets events of the bus come in."""
    loop = GLib.MainLoop()
    GLib.timeout_add(ms, loop.quit)
    loop.run()


def wait_for(come, what):
    """What `come` gives once that is true; None, with a complaint, if it never is."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            found = come()
        except GLib.Error:  # a widget went away while it was asked
            found = None
        if found:
            return found
        settle()
    complain("waited in vain for " + what)
    return None


def walk(top):
    """All below `top` that is on the screen."""
    stack = [top]
    while stack:
        one = stack.pop()
        if one is None:
            continue
        yield one
        for index in range(min(one.get_child_count(), 400)):
            child = one.get_child_at_index(index)
            if child is not None and child.get_state_set().contains(Atspi.StateType.SHOWING):
                stack.append(child)


def describe(one):
    return f"{one.get_role_name()} \"{one.get_name()}\""


def find(top, role, name):
    for one in walk(top):
        if one.get_role() == role and one.get_name() == name:
            return one
    return None


def press(key, modifiers=()):
    """As from a keyboard. `key` is a keysym."""
    codes = {"ctrl": 37, "shift": 50, "alt": 64}  # of X servers with a usual keyboard
    for one in modifiers:
        Atspi.generate_keyboard_event(codes[one], None, Atspi.KeySynthType.PRESS)
    Atspi.generate_keyboard_event(key, None, Atspi.KeySynthType.SYM)
    for one in reversed(modifiers):
        Atspi.generate_keyboard_event(codes[one], None, Atspi.KeySynthType.RELEASE)


def give_keyboard():
    """Gives the program's window the keyboard, as a window manager would."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
    children = ctypes.POINTER(ctypes.c_ulong)()
    x11.XQueryTree(display, ctypes.c_ulong(x11.XDefaultRootWindow(display)), ctypes.byref(root),
                   ctypes.byref(parent), ctypes.byref(children), ctypes.byref(count))

    def area(window):
        geometry = [ctypes.c_uint() for _ in range(4)]
        place = [ctypes.c_int() for _ in range(2)]
        width, height, border, depth = geometry
        x11.XGetGeometry(display, ctypes.c_ulong(window), ctypes.byref(root),
                         *(ctypes.byref(one) for one in place), ctypes.byref(width),
                         ctypes.byref(height), ctypes.byref(border), ctypes.byref(depth))
        return width.value * height.value

    largest = max((children[i] for i in range(count.value)), key=area)
    x11.XSetInputFocus(display, ctypes.c_ulong(largest), 2, ctypes.c_ulong(0))
    x11.XCloseDisplay(display)


class Focus:
    """What was announced as having the focus, last one last."""

    def __init__(self):
        self.seen = []
        self.listener = Atspi.EventListener.new(self.note)
        self.listener.register("object:state-changed:focused")

    def note(self, event):
        if event.detail1 == 1:
            self.seen.append(event.source)

    def names(self):
        return [one.get_name() for one in self.seen]


def says_what_for(box):
    """Whether more is known of a combo box than its value, which stands in the place of its name."""
    labels = [r for r in box.get_relation_set()
              if r.get_relation_type() == Atspi.RelationType.LABELLED_BY]
    return bool(labels or box.get_description())


def check_names(window, page):
    count = 0
    for one in walk(window):
        states = one.get_state_set()
        if not states.contains(Atspi.StateType.FOCUSABLE) or one.get_role() == Atspi.Role.FRAME:
            continue
        count += 1
        if not one.get_name() and one.get_role() != Atspi.Role.TABLE_CELL:  # those may be empty
            complain(f"{page}: {describe(one)} takes the focus and has no name")
        if one.get_role() == Atspi.Role.COMBO_BOX and not says_what_for(one):
            complain(f"{page}: {describe(one)} does not say what it chooses")
    if count < 5:
        complain(f"{page}: only {count} widgets take the focus")
    return count


def check_table(window, page, name, words):
    """A list with this name, whose cells say all of `words`."""
    roles = (Atspi.Role.TABLE, Atspi.Role.TREE, Atspi.Role.TREE_TABLE, Atspi.Role.LIST)
    table = wait_for(
        lambda: next((one for role in roles if (one := find(window, role, name))), None),
        f"{page}: a list called \"{name}\"")
    if table is None:
        return
    interface = table.get_table_iface() if "Table" in table.get_interfaces() else None
    if interface is None:
        complain(f"{page}: {describe(table)} is no table")
        return

    def said():
        rows, columns = interface.get_n_rows(), interface.get_n_columns()
        cells = [interface.get_accessible_at(row, column)
                 for row in range(min(rows, 20)) for column in range(columns)]
        texts = [cell.get_name() for cell in cells if cell is not None]
        return all(any(word in text for text in texts) for word in words)

    if wait_for(said, f"{page}: cells of \"{name}\" that say {words}"):
        print(f"{page}: {name}: {interface.get_n_rows()} rows, {interface.get_n_columns()} columns")


def make_store(strata, examples, folder):
    store = os.path.join(folder, "store")
    share = os.path.join(folder, "share")
    os.mkdir(share)
    for words in (["init"],
                  ["import", f"{examples}/base.safetensors", "--name", "digits"],
                  ["add", "rotated", f"{examples}/rotated.safetensors", "--tag", "prod"],
                  ["remote", "add", "share", f"file://{share}"],
                  ["push", "digits", "share"]):
        subprocess.run([strata, "-C", store, "-q", *words], check=True, stdout=subprocess.DEVNULL)
    return store


def read_window(application):
    window = wait_for(lambda: application.get_child_at_index(0), "a window")
    if window is None:
        return
    focus = Focus()
    give_keyboard()
    check_table(window, "library", "Library", ["digits", "rotated v1", "prod"])
    wait_for(lambda: find(window, Atspi.Role.LIST_ITEM, "share: 1 version to push, 0 to pull, 1 tag to push"),
             "the remote's numbers in the sidebar")
    check_names(window, "library")
    # By the keys that lead there; with a list of the page, and words of its cells.
    pages = {
        "compare": (ord("3"), ("alt",), "Tensors that differ", []),
        "storage": (ord("4"), ("alt",), "Objects", ["pack", "digits:v1", "not checked yet"]),
        "transfers": (ord("l"), ("ctrl",), "Transfers", []),
        "hub": (ord("h"), ("ctrl",), "Models that were found", []),
        "remotes": (ord("l"), ("ctrl", "shift"), "Versions of the remote", ["digits:v1"]),
    }
    for page, (key, modifiers, table, words) in pages.items():
        press(key, modifiers)
        check_table(window, page, table, words)
        print(f"{page}: {check_names(window, page)} widgets take the focus")
    press(ord("n"), ("ctrl",))
    wait_for(lambda: find(window, Atspi.Role.TEXT, "Name"), "the page Add")
    print(f"add: {check_names(window, 'add')} widgets take the focus")

    # Back to the library; F6 goes on to the next pane, and each step is told.
    press(ord("1"), ("alt",))
    wait_for(lambda: find(window, Atspi.Role.TREE, "Library") or
             find(window, Atspi.Role.TREE_TABLE, "Library"), "the library")
    before = len(focus.seen)
    for _ in range(4):
        press(0xFFC3)  # F6
        settle(200)
    wait_for(lambda: len(focus.seen) >= before + 3, "three announcements of the focus after F6")
    print("F6 announced:", ", ".join(describe(one) for one in focus.seen[before:]))
    names = focus.names()[before:]
    for one in focus.seen[before:]:
        if not one.get_name():
            complain(f"the focus went to {describe(one)}, without a name")
    rows = [one for one in focus.seen[before:]
            if one.get_role() in (Atspi.Role.LIST_ITEM, Atspi.Role.TABLE_CELL, Atspi.Role.TREE_ITEM)]
    if not rows:
        complain("F6 announced lists without their current rows")
    if len(set(names)) < 2:
        complain(f"F6 announced one place only: {names}")


def main():
    strata, gui, examples = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = folder
        store = make_store(strata, examples, folder)
        environment = dict(os.environ, QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", LC_ALL="C.UTF-8")
        window = subprocess.Popen([gui, "-C", store], env=environment)
        try:
            desktop = Atspi.get_desktop(0)

            def application():
                for index in range(desktop.get_child_count()):
                    one = desktop.get_child_at_index(index)
                    if one is not None and one.get_process_id() == window.pid:
                        return one
                return None

            found = wait_for(application, "the program on the accessibility bus")
            if found is not None:
                read_window(found)
        finally:
            window.terminate()
            window.wait()
    print(f"{len(problems)} problems" if problems else "read without a problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
