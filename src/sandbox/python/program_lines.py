"""Which lines of a program an exception went through: for whoever repairs it.

This runs beside the program, so that what it says is no promise.
"""

import re

_MOST_LINES, _MOST_CHARACTERS = 8, 200
_texts = {}  # by name of a program: {line number: its text}


def compiled(source, name="<program>", texts=None):
    """Code to run. `texts` by line, where `source` was made of another text."""
    _texts[name] = texts if texts is not None else dict(enumerate(lines_of(source), 1))
    return compile(source, name, "exec")


def lines_of(source):
    return re.split("\r\n|\r|\n", source)


def lines_behind(problem):
    """Texts without the space around them, each once, where it was raised last."""
    found = []
    try:
        for name, number in _places(problem):
            text = _texts.get(name, {}).get(number, "").strip()
            if text and len(text) <= _MOST_CHARACTERS:
                if text in found:
                    found.remove(text)
                found.append(text)
    except BaseException:  # of an exception that the program made to be odd
        return []
    return found[-_MOST_LINES:]


def _places(problem):
    trace = problem.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    if isinstance(problem, SyntaxError):
        yield problem.filename, problem.lineno
