#!/usr/bin/env python3
"""Holds that the documents name what the program has, and nothing else.

    documented.py ROOT PROGRAM
    documented.py --self-test

The program's own help is the list of commands and options; src/cli/env_vars.hpp is the list of
variables. The man page names every command, option and variable; the README every command and
variable, and no option that does not exist; each variable that any source file reads is listed.
"""

import re
import subprocess
from pathlib import Path

import program

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
VARIABLE = re.compile(r"\bCUDAENV_[A-Z0-9_]+\b")
# Options of other programs that the README's examples show.
FOREIGN = {"--version"}


def help_of(program, *words):
    result = subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=30,
                            stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        raise SystemExit(f"error: `{' '.join([*words, '--help'])}` ended with {result.returncode}\n"
                         f"{result.stderr}")
    return result.stdout


def commands_of(help_text):
    """The first words of the indented lines under every heading that does not list arguments."""
    commands = []
    inside = False
    for line in help_text.splitlines():
        heading = re.match(r"(\w[\w ]*):\s*$", line)
        if heading:
            inside = heading.group(1) not in ("Usage", "Options", "Arguments")
        elif re.match(r"\S", line):
            inside = False
        elif inside:
            match = re.match(r"\s{1,4}([a-z][a-z-]*)(?:\s|$)", line)
            if match:
                commands.append(match.group(1))
    return commands


def plain_man(text):
    """The words of an mdoc page, with `Fl -name` written as the option it stands for."""
    text = re.sub(r'^\.\\".*$', "", text, flags=re.MULTILINE)
    text = re.sub(r"\bFl Fl (?=[a-z])", "--", text)
    text = re.sub(r"\bFl \\?-(?=[a-z])", "--", text)
    return text.replace("\\-", "-").replace("\\&", "")


def names(text):
    return set(re.findall(r"[a-z][a-z-]*", text))


def check(commands, options, variables, man, readme, sources):
    """Each argument is a set or a text; gives the problems as lines."""
    problems = []
    man_text = plain_man(man)
    man_options = set(OPTION.findall(man_text))
    readme_options = set(OPTION.findall(readme))
    man_commands = set(re.findall(r"^\.(?:It|Ss|Ic|Nm)\b.*", man_text, re.MULTILINE))
    man_words = names(" ".join(man_commands))
    readme_words = set(re.findall(r"`(?:cudaenv )?([a-z][a-z-]*)", readme))
    readme_words |= set(re.findall(r"\bcudaenv ([a-z][a-z-]*)", readme))
    for command in sorted(commands):
        if command not in man_words:
            problems.append(f"packaging/man/cudaenv.1: command `{command}` is missing")
        if command not in readme_words:
            problems.append(f"README.md: command `{command}` is missing")
    for option in sorted(options - man_options):
        problems.append(f"packaging/man/cudaenv.1: option `{option}` is missing")
    for option in sorted(man_options - options - FOREIGN):
        problems.append(f"packaging/man/cudaenv.1: the program has no option `{option}`")
    for option in sorted(readme_options - options - FOREIGN):
        problems.append(f"README.md: the program has no option `{option}`")
    for name, text in (("packaging/man/cudaenv.1", man_text), ("README.md", readme)):
        found = set(VARIABLE.findall(text))
        problems += [f"{name}: variable `{v}` is missing" for v in sorted(variables - found)]
        problems += [f"{name}: the program has no variable `{v}`" for v in sorted(found - variables)]
    for name, text in sorted(sources.items()):
        used = set(re.findall(r'"(CUDAENV_[A-Z0-9_]+)"', text))
        problems += [f"{name}: variable `{v}` is not in env_vars.hpp"
                     for v in sorted(used - variables)]
    return problems


def bootstrap_options(root):
    script = root / "bootstrap.sh"
    return set(OPTION.findall(script.read_text(encoding="utf-8"))) if script.is_file() else set()


def main(root, tool):
    root = Path(root)
    header = (root / "src/cli/env_vars.hpp").read_text(encoding="utf-8")
    variables = set(re.findall(r'"(CUDAENV_[A-Z0-9_]+)"', header))
    top = help_of(tool)
    commands = set(commands_of(top)) - {"help"}
    if not commands or not variables:
        print("error: found no commands in --help, or no variables in env_vars.hpp")
        return 1
    options = set(OPTION.findall(top))
    for command in sorted(commands):
        options |= set(OPTION.findall(help_of(tool, command)))
    sources = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
               for path in sorted((root / "src").rglob("*.[ch]pp"))}
    FOREIGN.update(bootstrap_options(root))
    problems = check(commands, options, variables,
                     (root / "packaging/man/cudaenv.1").read_text(encoding="utf-8"),
                     (root / "README.md").read_text(encoding="utf-8"), sources)
    for problem in problems:
        print(problem)
    print(f"{len(commands)} commands, {len(options)} options, {len(variables)} variables, "
          f"{len(problems)} problems")
    return 1 if problems else 0


def self_test():
    top = ("Usage: cudaenv COMMAND\n\nArguments:\n  spec  text\n\nOptions:\n  -h, --help   text\n\n"
           "Install:\n  install   Install it\n            and more\nLook:\n  gc        Sweep\n\n"
           "Exit status: 0 done\n  nothing   here\n")
    man = ('.\\" --ghost in a comment\n.It Ic install Fl -dry-run\n.It Ic gc\n.Fl Fl help\n'
           ".It Ev CUDAENV_ROOT\n")
    readme = "`cudaenv install 12` and `gc`, CUDAENV_ROOT\n"
    commands, options, variables = {"install", "gc"}, {"--help", "--dry-run"}, {"CUDAENV_ROOT"}
    sources = {"src/a.cpp": '"CUDAENV_ROOT"'}

    def problems(**changed):
        arguments = dict(commands=commands, options=options, variables=variables, man=man,
                         readme=readme, sources=sources) | changed
        return check(**arguments)

    cases = [
        (commands_of(top), ["install", "gc"]),
        (problems(), []),
        (len(problems(commands=commands | {"list"})), 2),
        (len(problems(options=options | {"--json"})), 1),
        (len(problems(options={"--help"})), 1),
        (len(problems(variables=variables | {"CUDAENV_MIRROR"})), 2),
        (len(problems(readme=readme + "CUDAENV_OLD")), 1),
        (len(problems(readme=readme + "`--gone`")), 1),
        (len(problems(sources={"src/a.cpp": 'get("CUDAENV_HIDDEN")'})), 1),
    ]
    failed = [case for case in cases if case[0] != case[1]]
    for found, wanted in failed:
        print(f"FAILED: wanted {wanted}, found {found}")
    print(f"{len(cases) - len(failed)} of {len(cases)} cases hold")
    return 1 if failed else 0


if __name__ == "__main__":
    program.run(__doc__, main, self_test, arguments=(2,))
