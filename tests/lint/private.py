#!/usr/bin/env python3
"""Holds that no file names a package registry's host, an absolute path of one machine, or a secret.

    private.py ROOT
    private.py --self-test
"""

import re
import tempfile
from pathlib import Path

import program
import tree


def host(*labels):
    return r"\b" + r"\.".join(labels) + r"\b"


# Put together from pieces, so that this file does not hold what it looks for.
FORBIDDEN = [
    ("a package registry's host", "|".join([
        host("py" + "pi", "(?:org|python|nvidia)"),
        host("python" + "hosted", "org"),
        host("deb" + "ian", "org"),
        host("ubu" + "ntu", "com"),
        host("fedora" + "project", "org"),
        host("n" + "pmjs", "(?:org|com)"),
        host("crat" + "es", "io"),
        host("proxy", "go" + "lang", "org"),
        host("maven", "apa" + "che", "org"),
        host("conda", "ana" + "conda", "org"),
    ])),
    ("a path of one machine", r"(?<![\w.$})~-])/(?:wo" + r"rk/(?:main|shared|\.)|ro" + r"ot/|"
                              r"ho" + r"me/(?!user\b|me\b|alice\b|bob\b)[a-z]\w*/|"
                              r"tm" + r"p/(?:build-|bash_jobs))"),
    ("a private key", "-----BEGIN (?:RSA |EC |OPENSSH )?PRIV" + "ATE KEY-----"),
    ("an access token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|glpat-[\w-]{20}|AKIA[0-9A-Z]{16})\b"),
]


def check(root):
    violations = []
    for path in tree.files(root):
        text = tree.text_of(path)
        name = path.relative_to(root).as_posix()
        for kind, pattern in FORBIDDEN:
            match = re.search(pattern, name)
            if match:
                violations.append((name, 1, kind, match.group(0)))
            for match in re.finditer(pattern, text or ""):
                violations.append((name, text.count("\n", 0, match.start()) + 1, kind, match.group(0)))
    return violations


def self_test():
    registry = "py" + "pi.org"
    cases = [
        (f"pip install -i https://{registry}/simple x\n", "a package registry's host"),
        ("x\ncd /wo" + "rk/main\n", "a path of one machine"),
        ('"/ho' + 'me/jdoe/x"\n', "a path of one machine"),
        ("-----BEGIN PRIV" + "ATE KEY-----\n", "a private key"),
    ]
    harmless = [
        "the pypi project, debian packages, /home/user/x, ~/work/main, $ROOT/root/x\n",
        "https://mirror.example/compute/cuda/redist\n",
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for text, kind in cases + [(text, None) for text in harmless]:
            (root / "a.txt").write_text(text, encoding="utf-8")
            found = [entry[2] for entry in check(root)]
            if found != ([kind] if kind else []):
                failed += 1
                print(f"FAILED {text!r}: {found}")
    print(f"{len(cases) + len(harmless) - failed} of {len(cases) + len(harmless)} cases hold")
    return 1 if failed else 0


def main(root):
    violations = check(Path(root).resolve())
    for name, line, kind, text in violations:
        print(f"{name}:{line}: {kind}: {text}")
    print(f"{len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    program.run(__doc__, main, self_test)
