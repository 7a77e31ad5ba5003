#!/usr/bin/env python3
"""Random walks over a tree whose `.cudaenv` come, change and go: hook_walk.py SHELL [SEED [STEPS]]

After every step the toolkit that is active in the shell is the one that a model says, and that a
fresh shell gets there; where nothing changed, the prompt starts no process.
"""

import os
import random
import re
import shutil
import sys
import time

from live_shell import SHELLS, LiveShell, World, add_toolkit, need, settle

# A file's bytes, and the toolkit that they mean.
TEXTS = [
    (b"12.1\n", "cuda-12.1.1"),
    (b"11.8\n", "cuda-11.8.0"),
    (b"12.4", "cuda-12.4.1"),
    (b"12.1.0\n", "cuda-12.1.0"),
    (b"\xef\xbb\xbf11.8\r\n", "cuda-11.8.0"),
    (b"# ours\n\n  12.4  \n\n", "cuda-12.4.1"),
    (b'cuda = "12.1.0"\nld_path = false\n', "cuda-12.1.0"),
    (b'# it\'s "$(touch ran)" `touch ran` !! %s\ncuda = "11.8"\n', "cuda-11.8.0"),
    (b"9.9\n", ""),
    (b"", ""),
    (b"two 12.1\nwords 11.8\n", ""),
    (b"\xff\xfe1\x002\x00.\x001\x00\n\x00", ""),
    (b"12.1\0\n", ""),
    (b"$(touch ran)\n", ""),
    (b"/usr/local/cuda-12.1\n", ""),
    (b"\xff\xe9\n", ""),
]
FOLDERS = ["a", "a/b", "a/b/c", "a/b/c/d", "e f", "e f/$(touch ran)", "e f/'q'", "g\"h;`touch ran`",
           "*", "a/!x %d"]


class Tree:
    def __init__(self, work):
        self.work = work
        self.folders = [work, *(work / name for name in FOLDERS)]
        for folder in self.folders[1:]:
            folder.mkdir()
        (work / "link").symlink_to("a/b/c")
        self.folders.append(work / "link")
        self.installed = {"cuda-11.8.0", "cuda-12.1.0", "cuda-12.1.1", "cuda-12.4.1"}

    def wanted(self, folder):
        """The model: the nearest file decides, whatever it says."""
        while folder != self.work.parent:
            file = folder / ".cudaenv"
            if file.is_file():
                meaning = dict(TEXTS)[file.read_bytes()]
                if meaning == "cuda-12.1.1" and meaning not in self.installed:
                    meaning = "cuda-12.1.0"
                return meaning if meaning in self.installed else ""
            folder = folder.parent
        return ""


def remove(path):
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    elif path.exists() or path.is_symlink():
        path.unlink()


def texts_for(shell):
    """elvish gets the text as JSON, so at what that cannot hold it looks with every prompt."""
    return [text for text, _ in TEXTS
            if shell != "elvish" or not re.search(rb"[\0\x80-\xff]", text)]


def change_file(tree, choice, texts, here):
    """Writes, replaces or takes away one `.cudaenv`; gives what was done, for the report."""
    # Mostly where it matters: here or above.
    above = [folder for folder in (here, *here.parents) if folder.is_relative_to(tree.work)]
    path = choice.choice(above if choice.random() < 0.7 else tree.folders[:-1]) / ".cudaenv"
    how = choice.choice(["write", "write", "write", "replace", "same times", "link", "remove",
                         "folder"])
    text = choice.choice(texts)
    if how == "write" and not path.is_dir():
        path.write_bytes(text)  # through a link, too
    elif how == "replace":
        fresh = path.with_name(".fresh")
        fresh.write_bytes(text)
        remove(path)
        fresh.rename(path)
    elif how == "same times" and path.is_file():
        times = path.stat()
        path.write_bytes(text)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    elif how == "link":
        target = tree.work / f"target{choice.randrange(3)}"
        target.write_bytes(text)
        remove(path)
        path.symlink_to(target)
    elif how == "remove":
        remove(path)
    elif how == "folder":
        remove(path)
        path.mkdir()
    return f"{how} {path} {text!r}"


def quoted(shell, folder):
    """`cd` to a folder; tcsh takes a history mark even in quotes."""
    text = str(folder)
    if shell == "elvish":
        return "cd '" + text.replace("'", "''") + "'"
    if shell == "fish":
        return "cd '" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    text = "'" + text.replace("'", "'\\''") + "'"
    return "cd " + (text.replace("!", "\\!") if shell == "tcsh" else text)


def unchanged_prompts_start_nothing(world, live):
    settle(live.shell)
    live.run("")
    starts = world.starts()
    for _ in range(3):
        live.run("")
    assert world.starts() == starts, f"{world.starts() - starts} processes at unchanged prompts"


def walk(shell, seed, steps):
    choice = random.Random(seed)
    with World() as world, LiveShell(world, shell) as live:
        tree = Tree(world.work)
        here = world.work
        done = []
        for step in range(steps):
            action = choice.randrange(10)
            if action < 5:
                # elvish calls a folder by its own name, however it came there.
                here = choice.choice(tree.folders)
                here = here.resolve() if shell == "elvish" else here
                done.append(f"cd {here}")
                live.run(quoted(shell, here))
            elif action < 9:
                done.append(change_file(tree, choice, texts_for(shell), here))
            else:
                done.append(move_toolkit(world, tree, choice))
                live.run(quoted(shell, world.folder))
                live.run(quoted(shell, here))
            live.run("")
            check(world, tree, live, here,
                  f"{shell}, seed {seed}, step {step}: " + "; ".join(done[-6:]))
            if step % (steps // 4) == 0:
                unchanged_prompts_start_nothing(world, live)
        assert not list(world.folder.rglob("ran")), "a command out of a name or a file ran"
        print(f"{shell}, seed {seed}: {steps} steps, {world.starts()} starts of cudaenv")


def move_toolkit(world, tree, choice):
    name = choice.choice(["cuda-12.1.1", "cuda-12.4.1"])
    if name in tree.installed:
        shutil.rmtree(world.root / name)
        tree.installed.remove(name)
        return f"uninstall {name}"
    add_toolkit(world.root, name.removeprefix("cuda-"))
    tree.installed.add(name)
    return f"install {name}"


def check(world, tree, live, here, what):
    variables = live.variables()
    active = variables.get("CUDAENV_ACTIVE", "")
    wanted = tree.wanted(here)
    expected = str(world.root / wanted) if wanted else ""
    assert active == expected, (f"{what}\nexpected {expected or 'nothing'}, "
                                f"active {active or 'nothing'}")
    assert world.fresh(here) == expected, f"{what}\na fresh shell gets {world.fresh(here)}"
    # The folders come and go with it, and PATH has nothing else of ours.
    ours = [folder for folder in variables["PATH"].split(":") if folder.startswith(str(world.root))]
    assert ours == ([f"{expected}/bin"] if expected else []), f"{what}\nPATH has {ours}"
    assert variables.get("CUDA_HOME", "") == expected, what


def main(arguments):
    if not arguments or arguments[0] not in SHELLS:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    shell = arguments[0]
    need(shell)
    # elvish takes its time for a line.
    usual = {"elvish": 16, "tcsh": 40}.get(shell, 80)
    steps = int(arguments[2]) if len(arguments) > 2 else usual
    # Seed 0 is another one every day; the report names it.
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    walk(shell, seed or int(time.time()) // 86400, steps)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
