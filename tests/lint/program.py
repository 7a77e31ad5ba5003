"""How a check is called: its folder, or `--self-test` where it has one."""

import sys


def run(usage, check, self_test=None, arguments=(1,)):
    """Ends the program with what `check` returns for the words of the command line.

    Other numbers of them than `arguments` names end it with the usage and 2.
    """
    words = sys.argv[1:]
    if self_test and words == ["--self-test"]:
        sys.exit(self_test())
    if len(words) not in arguments or words[:1] == ["--self-test"]:
        print(usage.strip(), file=sys.stderr)
        sys.exit(2)
    sys.exit(check(*words))
