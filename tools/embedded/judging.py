"""Running small generated programs, for making problems and for the evaluation in PyTorch.

This is not a sandbox: programs are made of the few words our own tokenizers and models know, and get a
handful of harmless builtins. What strangers' models write is for the engine's sandbox.
"""

import ast
import signal

BUILTINS = {f.__name__: f for f in (abs, enumerate, int, len, list, max, min, set, sorted, str, sum, zip)}


def small_range(*arguments):
    numbers = range(*arguments)
    if len(numbers) > 10000:
        raise ValueError("too long")
    return numbers


class JudgeError(Exception):
    """The program does not compile, raises, or takes too long."""


def _too_long(signum, frame):
    raise TimeoutError


class Judge:
    """Remembers the program compiled last, as it is asked for several calls in a row."""

    def __init__(self, seconds=0.5):
        self.seconds = seconds
        self.source = self.function = None

    def call(self, source, argument):
        """f(argument); lists are copied, as a program may change them."""
        value = self._guarded(lambda: self._function(source)(
            list(argument) if isinstance(argument, list) else argument))
        if type(value) not in (int, str, list):
            raise JudgeError(f"a {type(value).__name__} is no result")
        return value

    def passed(self, source, tests):
        """How many of the (argument, result) pairs hold."""
        count = 0
        for argument, result in tests:
            try:
                value = self.call(source, argument)
                count += type(value) is type(result) and value == result
            except JudgeError:
                pass
        return count

    def _function(self, source):
        if source != self.source:
            self.source, self.function = source, None
            space = {"__builtins__": dict(BUILTINS, range=small_range)}
            exec(compile(source, "answer", "exec"), space)
            self.function = space["f"]
        if self.function is None:
            raise JudgeError("no function")
        return self.function

    def _guarded(self, run):
        previous = signal.signal(signal.SIGALRM, _too_long)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            return run()
        except JudgeError:
            raise
        except Exception as error:  # whatever a generated program may raise
            raise JudgeError(repr(error)) from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)


def tests_of(reward):
    """The (argument, result) pairs of a python-tests reward as we write it."""
    return [(ast.literal_eval(test["call"][2:-1]), ast.literal_eval(test["expect"]))
            for test in reward["tests"]]


def pass_rates(answers):
    """For a pool of workers: [(source, tests)] to the shares of tests that pass."""
    judge = Judge()
    return [judge.passed(source, tests) / len(tests) for source, tests in answers]
