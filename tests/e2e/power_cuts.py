#!/usr/bin/env python3
"""Records what commands do to the disk and looks at everything that a power cut may leave of it.

    power_cuts.py SCRATCH CUDAENV STEPS MIRROR-URL [--seed N]

Each state is checked in memory, some are made real and given to the program: what is listed must be
whole, what the store would use too, links lead to a prefix, and the next run completes.
"""

import argparse
import hashlib
import json
import random
import sys
from pathlib import Path

from disk_model import Recording
from kill_lab import Broken, Lab, difference
from kills import build_sources, scenarios

REAL_STATES = 5  # of each scenario


def check(root):
    """Throws Broken where something counts that is not whole."""
    for name in root.names() if root else []:
        entry = root.at(name)
        if name.startswith("."):
            continue
        if entry.kind == "link":
            if not root.at(f"{entry.content}/.cudaenv/receipt.json"):
                raise Broken(f"{name} -> {entry.content} leads to no prefix")
        else:
            check_prefix(entry, name)
    store = root.at(".state/store") if root else None
    for name in store.names() if store else []:
        check_entry(store.at(name), name)


def check_prefix(prefix, name):
    receipt = prefix.at(".cudaenv/receipt.json")
    if not receipt:
        raise Broken(f"{name} has no receipt")
    try:
        json.loads(receipt.content)
    except ValueError as error:
        raise Broken(f"the receipt of {name} is damaged") from error
    check_files(prefix, prefix.at(".cudaenv/files.tsv"), name)


def check_entry(entry, name):
    """Without a whole list it does not count."""
    files = entry.at("files.tsv")
    if files and entry.at("tree") and is_complete(files.content):
        check_files(entry.at("tree"), files, f"store/{name}")


def is_complete(listed):
    lines = listed.decode().splitlines()
    return bool(lines) and int(lines[0].split("\t")[2]) == len(lines) - 1


def check_files(tree, files, name):
    if not files or not is_complete(files.content):
        raise Broken(f"the list of {name} is damaged")
    for line in files.content.decode().splitlines()[1:]:
        kind, mode, _, digest, _, path, *target = line.split("\t")
        file = tree.at(path)
        if not file:
            raise Broken(f"{name} lacks {path}")
        if kind == "l" and (file.kind != "link" or file.content != target[0]):
            raise Broken(f"{name}/{path} is another link")
        if kind == "f" and sha256(file.content) != digest:
            raise Broken(f"{name}/{path} has {len(file.content)} other bytes")
        if kind == "f" and file.mode & 0o777 != int(mode, 8):
            raise Broken(f"{name}/{path} has mode {file.mode:o}")


def sha256(content, known={}):
    if content not in known:
        known[content] = hashlib.sha256(content).hexdigest()
    return known[content]


def choices(moments):
    """Ways to lose what was not synced."""
    yield "all lost", lambda effect: False
    yield "all kept", lambda effect: True
    yield "names without content", lambda effect: bool(effect.names)
    yield "content without names", lambda effect: not effect.names
    for _ in range(6):
        share = moments.choice((0.1, 0.5, 0.9))
        yield f"{share} kept at random", lambda effect, share=share: moments.random() < share


def cut(scenario, lab, moments):
    scenario.prepare(lab)
    steps = scenario.undisturbed(lab)
    lab.restore(scenario.name)
    recording = Recording(lab.root, steps)
    states = []
    for step in range(1, recording.last + 2):
        for how, keeps in choices(moments):
            remains = recording.after_cut(step, keeps)
            where = f"{scenario.name}, cut before step {step} of {recording.last}, {how}"
            try:
                check(remains)
            except Broken as error:
                raise Broken(f"{where}: {error}") from error
            states.append((where, remains))
    for where, remains in moments.sample(states, REAL_STATES):
        make_real(where, remains, scenario, lab)
    print(f"{scenario.name}: {len(states)} states", flush=True)


def make_real(where, remains, scenario, lab):
    lab.restore("nothing")
    if remains:
        remains.put(lab.root)
    try:
        lab.check_whole()
        for command in scenario.again:
            status, out, err = lab.run(command)
            if status != 0 and "no installed toolkit" not in err:
                raise Broken(f"status {status} from the next {command[0]}: {out}{err}")
        lab.check_whole()
        if found := difference(scenario.expected, lab.snapshot()):
            raise Broken(found)
    except Broken as error:
        raise Broken(f"{where}: {error}") from error


def check_model(scenario, lab):
    """Without any sync there must be states that are broken, or the model finds nothing at all."""
    steps = scenario.undisturbed(lab)
    lab.restore(scenario.name)
    recording = Recording(lab.root, steps, ignore_syncs=True)
    try:
        check(recording.after_cut(recording.last + 1, lambda effect: bool(effect.names)))
    except Broken:
        return
    raise Broken(f"the model has nothing against {scenario.name} without syncs")


def main():
    parser = argparse.ArgumentParser()
    for name in ("scratch", "cudaenv", "steps", "url"):
        parser.add_argument(name)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    scratch = Path(options.scratch)
    (scratch / "home").mkdir(exist_ok=True)
    build_sources(scratch, bulk=2000)
    lab = Lab(scratch, options.cudaenv, options.steps)
    print(f"seed {options.seed}", flush=True)
    moments = random.Random(options.seed)
    plays = scenarios("nvidia", ["--mirror", options.url, "--trust-mirror"])
    plays += scenarios("wheels", ["--source", f"wheels:{scratch / 'wheels'}"])[:2]
    try:
        for play in plays:
            cut(play, lab, moments)
        check_model(plays[0], lab)
    except Broken as error:
        print(f"FAIL: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
