#!/usr/bin/env python3
"""Looks at all processes, again and again, for words that none should have in its command line.

    process_watch.py WORDS-FILE HITS-FILE

Writes a line for each hit: where (cmdline or environ), the program's name. Runs until SIGTERM; the
words come from a file so that they are not in this command line.
"""

import os
import sys
import time


def main(words_file, hits_file):
    with open(words_file, "rb") as file:
        words = file.read().split()
    seen = set()
    with open(hits_file, "w", encoding="utf-8", buffering=1) as hits:
        print("ready", file=hits)
        while True:
            for process in filter(str.isdigit, os.listdir("/proc")):
                for place in ("cmdline", "environ"):
                    look(process, place, words, seen, hits)
            time.sleep(0.002)


def look(process, place, words, seen, hits):
    try:
        with open(f"/proc/{process}/{place}", "rb") as file:
            text = file.read()
        if not any(word in text for word in words):
            return
        with open(f"/proc/{process}/comm", encoding="utf-8") as file:
            name = file.read().strip()
    except OSError:
        return  # it has ended, or is somebody else's
    if (process, place, name) not in seen:  # a process may become another program
        seen.add((process, place, name))
        print(place, name, file=hits)


if __name__ == "__main__":
    main(*sys.argv[1:])
