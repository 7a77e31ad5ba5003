"""What a power cut may leave of recorded system calls.

Kept is what was synced: of a file, its content and mode by fsync on it; of a name, by fsync on a
folder that the change is in; everything by syncfs. Of all else any part may be there or not, in
any order: that is less than most filesystems promise.
"""

import os
import stat
from pathlib import Path

RENAME_EXCHANGE = 2
TRUNCATE = os.O_TRUNC


class Node:
    """A file, folder or link, as it was durable in the beginning."""

    def __init__(self, kind, mode=0o755, content=b""):
        self.kind, self.mode, self.content = kind, mode, content
        self.names = {}  # of a folder


class Effect:
    """One change, to one node or to the names in folders; `synced` is the step that kept it."""

    def __init__(self, step, names=(), node=None, content=None, mode=None):
        self.step, self.names, self.node = step, names, node
        self.content, self.mode = content, mode
        self.synced = None


def read_tree(path):
    status = path.lstat()
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return Node("link", mode, os.readlink(path))
    if not stat.S_ISDIR(status.st_mode):
        return Node("file", mode, path.read_bytes())
    node = Node("folder", mode)
    node.names = {entry.name: read_tree(entry) for entry in path.iterdir()}
    return node


class Recording:
    """The effects of recorded calls on the tree at `root`."""

    def __init__(self, root, steps, ignore_syncs=False):
        self.root = Path(root)
        self.top = Node("folder")  # holds the root by its name, which may not be there yet
        self.start = read_tree(self.root) if self.root.exists() else None
        if self.start:
            self.top.names[self.root.name] = self.start
        self.live = {}  # what changed so far: (folder, name) -> node; node -> content, mode
        self.effects = []
        self.last = max((step["step"] for step in steps), default=0)
        for step in steps:
            if step["call"] in ("fsync", "syncfs"):
                if not ignore_syncs:
                    self.sync(step)
            elif step["call"] not in ("flock", "allocate"):
                self.add(step)

    # -- paths in the tree as the command saw it

    def child(self, folder, name):
        return self.live.get((folder, name), folder.names.get(name))

    def place(self, path):
        """(folder, name) of a path."""
        parts = Path(os.path.normpath(path)).relative_to(self.root.parent).parts
        folder = self.top
        for part in parts[:-1]:
            folder = self.child(folder, part)
        return folder, parts[-1]

    def node(self, path):
        return self.child(*self.place(path))

    def content(self, node):
        return self.live.get((node, "content"), node.content)

    # -- effects

    def add(self, step):
        getattr(self, "on_" + step["call"])(step)

    def name(self, step, *changes):
        for folder, name, node in changes:
            self.live[folder, name] = node
        self.effects.append(Effect(step["step"], names=changes))

    def write(self, step, node, content):
        self.live[node, "content"] = content
        self.effects.append(Effect(step["step"], node=node, content=content))

    def on_create(self, step):
        folder, name = self.place(step["path"])
        node = self.child(folder, name)
        if node is None:
            self.name(step, (folder, name, Node("file", step["mode"])))
        elif step["flags"] & TRUNCATE:
            self.write(step, node, b"")

    def on_mkdir(self, step):
        self.name(step, (*self.place(step["path"]), Node("folder", step["mode"])))

    def on_symlink(self, step):
        self.name(step, (*self.place(step["path"]), Node("link", 0o777, step["target"])))

    def on_link(self, step):
        self.name(step, (*self.place(step["target"]), self.node(step["path"])))

    def on_unlink(self, step):
        self.name(step, (*self.place(step["path"]), None))

    on_rmdir = on_unlink

    def on_rename(self, step):
        here, there = self.place(step["path"]), self.place(step["target"])
        moved, other = self.child(*here), self.child(*there)
        left = other if step["flags"] & RENAME_EXCHANGE else None
        self.name(step, (*here, left), (*there, moved))

    def on_write(self, step):
        node, data = self.node(step["path"]), bytes.fromhex(step["data"])
        before = self.content(node)
        at = len(before) if step["offset"] < 0 else step["offset"]
        self.write(step, node, before[:at] + data + before[at + len(data):])

    def on_truncate(self, step):
        node = self.node(step["path"])
        self.write(step, node, self.content(node)[:step["offset"]])

    def on_clone(self, step):
        self.write(step, self.node(step["target"]), self.content(self.node(step["path"])))

    on_copy = on_clone

    def on_chmod(self, step):
        node = self.node(step["path"])
        self.effects.append(Effect(step["step"], node=node, mode=step["mode"]))

    def sync(self, step):
        node = None if step["call"] == "syncfs" else self.node(step["path"])
        for effect in self.effects:
            covered = node is None or effect.node is node or any(
                folder is node for folder, _, _ in effect.names)
            if covered and effect.synced is None:
                effect.synced = step["step"]

    # -- after the cut

    def after_cut(self, step, keeps):
        """The root right before `step`; `keeps` decides about each effect that is not synced."""
        changed = {}
        for effect in self.effects:
            if effect.step >= step:
                break
            if (effect.synced is None or effect.synced >= step) and not keeps(effect):
                continue
            for folder, name, node in effect.names:
                changed[folder, name] = node
            if effect.content is not None:
                changed[effect.node, "content"] = effect.content
            if effect.mode is not None:
                changed[effect.node, "mode"] = effect.mode
        return Remains(self.top, changed).at(self.root.name)


class Remains:
    """A node as the cut left it."""

    def __init__(self, node, changed):
        self.plain, self.changed = node, changed
        self.kind = node.kind
        self.content = changed.get((node, "content"), node.content)
        self.mode = changed.get((node, "mode"), node.mode)

    def names(self):
        names = dict(self.plain.names)
        names.update({name: node for (folder, name), node in self.changed.items()
                      if folder is self.plain and name not in ("content", "mode")})
        return sorted(name for name, node in names.items() if node is not None)

    def at(self, path):
        """What is at a path below; nothing where nothing is. Links are not followed."""
        found = self.plain
        for part in Path(path).parts:
            if found is None or found.kind != "folder":
                return None
            found = self.changed.get((found, part), found.names.get(part))
        return Remains(found, self.changed) if found else None

    def put(self, path):
        """Makes it real."""
        if self.kind == "link":
            os.symlink(self.content, path)
            return
        if self.kind == "file":
            path.write_bytes(self.content)
        else:
            path.mkdir()
            for name in self.names():
                self.at(name).put(path / name)
        os.chmod(path, self.mode)
