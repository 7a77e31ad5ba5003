"""C++ text for rules that look at words: comments and the insides of literals blanked out."""

import re

_TOKEN = re.compile(
    r"""
      (?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    | (?P<include>^[ \t]*\#[ \t]*include[ \t]*(?:<[^>\n]*>|"[^"\n]*"))
    | (?P<raw>\b(?:u8|[uUL])?R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)")
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<number>\b\d(?:'?[0-9a-zA-Z_.])*)
    | (?P<char>'(?:\\.|[^'\\\n])+')
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def code_only(source):
    """The same text, line for line, without comments and with empty literals."""

    def replace(match):
        text = match.group(0)
        if match.lastgroup == "comment":
            return _blank(text)
        if match.lastgroup in ("include", "number"):
            return text
        return text[0] + _blank(text[1:-1]) + text[-1]

    return _TOKEN.sub(replace, source)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
