#!/usr/bin/env python3
"""Holds that every command of cudaenv that we tell people to type is one that it takes.

    advice.py ROOT PROGRAM
    advice.py --self-test

Read are the sources' texts, the tables of errors, the documents and the man page: what stands in
backticks and begins with `cudaenv`, and in documents the lines of code that do. Each must name a
command of the program's help, and only options and as many words as the help of that command has.
"""

import re
import shlex
import sys
from pathlib import Path

from documented import commands_of, help_of

# "-n, --name VALUE" at the beginning of a line of help; further in are descriptions.
OPTION = re.compile(
    r" {2,6}(-[a-zA-Z]\b|--[a-z][a-z0-9-]*)(?:, (--[a-z][a-z0-9-]*))?(?: ([A-Z]+\b))?")
# What ends our command in a line for a shell.
ENDS = re.compile(r"\s(?:\||&&|;|<|>|2>|>>|#|\\$)|[;|]\s|\)\"?$|`")


class Command:
    """What the help of one command says that it takes."""

    def __init__(self, text):
        self.values = {}  # option: whether a value follows
        for line in text.splitlines():
            option = OPTION.match(line)
            for name in filter(None, option.groups()[:2] if option else ()):
                self.values[name] = bool(option[3])
        self.words = "Arguments:" in text


def texts_of_cpp(text):
    """The string literals, those that follow each other as one."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    raw = re.findall(r'R"(\w*)\((.*?)\)\1"', text, re.DOTALL)
    text = re.sub(r'R"(\w*)\((.*?)\)\1"', '""', text, flags=re.DOTALL)
    text = re.sub(r'(?<!\\)"\s*\n\s*"', "", text)
    plain = re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)
    return [part for _, part in raw] + [part.replace('\\"', '"') for part in plain]


def commands_in(text, is_document):
    """What a text tells to type, each without `cudaenv`."""
    found = re.findall(r"`(?:sudo )?cudaenv(?: ([^`]*))?`", text)
    if is_document:
        for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            found += re.findall(r"^(?:\$ |sudo )?cudaenv (.*)$", block, re.MULTILINE)
        found += re.findall(r"^    (?:\$ |sudo )?cudaenv (.*)$", text, re.MULTILINE)
    return found


def problem_of(typed, top, commands):
    """What is wrong with the words after `cudaenv`; None where nothing is."""
    ours = ENDS.split(" " + typed)[0]
    ours, _, _ = f"{ours} ".partition(" -- ")
    try:
        words = shlex.split(ours.replace("'", "\\'") if ours.count("'") % 2 else ours)
    except ValueError:
        words = ours.split()
    # {} is filled by the program, ... and CAPITALS by the reader.
    takes, name, plain = top, None, 0
    expects_value = False
    for word in words:
        if expects_value:
            expects_value = False
            continue
        option, is_set, _ = word.partition("=")
        if word.startswith("-") and word != "-":
            if option not in takes.values and option not in top.values:
                return f"no option `{option}`"
            known = takes.values if option in takes.values else top.values
            expects_value = known[option] and not is_set
        elif name is None:
            name = word
            if re.search(r"[{}A-Z]|^\.\.\.$|^<", word):
                return None
            if name not in commands:
                return f"no command `{name}`"
            takes = commands[name]
        elif word not in ("...", "{}"):
            plain += 1
            if not takes.words:
                return f"`{name}` takes no words, such as `{word}`"
    return None


def read(root):
    """(name, text, whether it is a document) of everything that speaks to people."""
    for path in sorted((root / "src").rglob("*.[ch]pp")):
        for text in texts_of_cpp(path.read_text(encoding="utf-8")):
            yield path, text, False
    for path in sorted((root / "manifests/compat").glob("*.tsv")):
        yield path, path.read_text(encoding="utf-8"), False
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        yield path, path.read_text(encoding="utf-8"), True


def run(root, program):
    top_help = help_of(program)
    top = Command(top_help)
    names = set(commands_of(top_help))
    commands = {name: Command(help_of(program, name)) for name in sorted(names - {"help"})}
    problems, seen = [], 0
    for path, text, is_document in read(root):
        for typed in commands_in(text, is_document):
            seen += 1
            problem = problem_of(typed, top, commands)
            if problem:
                problems.append(f"{path.relative_to(root)}: `cudaenv {typed}`: {problem}")
    for problem in sorted(set(problems)):
        print(problem)
    print(f"{seen} commands to type, {len(problems)} problems")
    return 1 if problems or seen < 100 else 0


def self_test():
    top = Command("Usage: cudaenv COMMAND\n\nOptions:\n  -q, --quiet   Less\n      --root DIR   There\n")
    commands = {
        "install": Command("Usage: cudaenv install [OPTIONS] [SPEC...]\n\nArguments:\n  SPEC  x\n"
                           "\nOptions:\n      --with ADDON   And this\n  -n, --dry-run   Plan\n"),
        "gc": Command("Usage: cudaenv gc [OPTIONS]\n\nOptions:\n      --json  JSON\n")}
    cases = [(problem_of(typed, top, commands), wanted) for typed, wanted in (
        ("install 12 --with cudnn -n", None),
        ("-q --root /x install 12 --dry-run | head -3", None),
        ("install {} -- --no-such", None),
        ("{} --help", None),
        ("instal 12", "no command `instal`"),
        ("install --profil dev", "no option `--profil`"),
        ("gc 12", "`gc` takes no words, such as `12`"),
        ("gc --json <log", None),
        ("gc --with x", "no option `--with`"))]
    cases += [
        (texts_of_cpp('a("one `cudaenv "\n   "gc`", "two");\n'), ["one `cudaenv gc`", "two"]),
        (commands_in("`cudaenv gc`\n    cudaenv list\n", False), ["gc"]),
        (commands_in("`cudaenv gc`\n    sudo cudaenv list\n", True), ["gc", "list"]),
        (commands_in("```sh\ncudaenv list\n```\n", True), ["list"])]
    failed = [case for case in cases if case[0] != case[1]]
    for found, wanted in failed:
        print(f"FAILED: wanted {wanted}, found {found}")
    print(f"{len(cases) - len(failed)} of {len(cases)} cases hold")
    return 1 if failed else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    return run(Path(arguments[0]).resolve(), arguments[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
