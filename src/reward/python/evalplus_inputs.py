"""The inputs of EvalPlus tasks, with the types that JSON took from them put back."""

import json


def _tuples(values):
    return [tuple(value) for value in values]


def _deep_tuple(value):
    return tuple(map(_deep_tuple, value)) if isinstance(value, list) else value


# What becomes of one argument list, and in which tasks of MBPP+.
_CHANGES = (
    ((2, 116, 132, 222, 261, 273, 394, 421, 424, 429, 470, 560, 579, 596, 616, 630, 726, 740, 744, 809), _tuples),
    ((63, 64, 70, 94, 120, 237, 272, 299, 409, 473, 614, 780), lambda args: [_tuples(arg) for arg in args]),
    ((75, 413, 753), lambda args: [_tuples(args[0]), args[1]]),
    ((106, 750), lambda args: [args[0], tuple(args[1])]),
    ((250, 405, 446, 720, 763, 808), lambda args: [tuple(args[0]), args[1]]),
    ((259, 445), lambda args: [tuple(_tuples(arg)) for arg in args]),
    ((278,), lambda args: [tuple(tuple(part) if isinstance(part, list) else part for part in args[0])]),
    ((722,), lambda args: [{key: tuple(value) for key, value in args[0].items()}, *args[1:]]),
    ((580, 615, 791), _deep_tuple),
    ((124,), lambda args: [float(args[0]), complex(args[1])]),
    ((252,), lambda args: [complex(args[0])]),
)
_CHANGE_OF = {f"Mbpp/{number}": change for numbers, change in _CHANGES for number in numbers}


def read_inputs(task_id, text):
    inputs = json.loads(text)
    change = _CHANGE_OF.get(task_id)
    return [change(args) for args in inputs] if change else inputs
