"""The operations that problems are composed of: one line of Python and several English phrasings each.

A value has one of four types, each with one variable name, so that every model writes the same lines:
a list of numbers (xs), a number (n), a string (s) and a list of words (ws).
"""

from collections import namedtuple

# `group` says whose expertise an operation is (mixtures.py). `code` is the right-hand side; {k} and {c}
# are the constants, drawn from `constants`. Phrasings use the same names.
Operation = namedtuple("Operation", "name group source target code phrases constants")

VARIABLES = {"list": "xs", "number": "n", "string": "s", "words": "ws"}

NONE = ({},)


def numbers(first, last):
    return tuple({"k": k} for k in range(first, last + 1))


def letters(text):
    return tuple({"c": c} for c in text)


def _list_maps():
    """maps: what becomes of each number, or of each word."""
    small, factor = numbers(1, 9), numbers(2, 5)
    rows = [
        ("add", "[x + {k} for x in xs]", small,
         "add {k} to each", "increase every number by {k}", "raise all numbers by {k}"),
        ("subtract", "[x - {k} for x in xs]", small,
         "subtract {k} from each", "decrease every number by {k}", "lower all numbers by {k}"),
        ("multiply", "[x * {k} for x in xs]", factor,
         "multiply each by {k}", "scale every number by {k}", "make all numbers {k} times as large"),
        ("square", "[x * x for x in xs]", NONE,
         "square each", "replace every number by its square", "multiply all numbers by themselves"),
        ("negate", "[-x for x in xs]", NONE,
         "negate each", "flip the sign of every number", "change all signs"),
        ("absolute", "[abs(x) for x in xs]", NONE,
         "take absolute values", "drop the sign of every number", "make all numbers positive"),
        ("remainder", "[x % {k} for x in xs]", numbers(2, 7),
         "reduce each modulo {k}", "take every remainder by {k}", "replace numbers by their rest modulo {k}"),
        ("quotient", "[x // {k} for x in xs]", factor,
         "divide each by {k} rounding down", "floor divide every number by {k}",
         "take whole quotients by {k}"),
        ("complement", "[{k} - x for x in xs]", small,
         "subtract each from {k}", "replace every number by {k} minus it", "take what is missing to {k}"),
        ("floor", "[max(x, {k}) for x in xs]", small,
         "raise each to at least {k}", "replace every number below {k} by {k}", "use {k} as lower bound"),
        ("cap", "[min(x, {k}) for x in xs]", small,
         "cap each at {k}", "replace every number above {k} by {k}", "use {k} as upper bound"),
        ("weigh", "[x * i for i, x in enumerate(xs)]", NONE,
         "multiply each by its index", "weigh every number by its position", "scale numbers by their index"),
        ("shift", "[x + i for i, x in enumerate(xs)]", NONE,
         "add its index to each", "increase every number by its position", "shift numbers by their index"),
        ("differences", "[b - a for a, b in zip(xs, xs[1:])]", NONE,
         "take differences of neighbours", "subtract each from the next one", "list the steps between neighbours"),
    ]
    return [Operation(name, "maps", "list", "list", code, tuple(phrases), constants)
            for name, code, constants, *phrases in rows]


def _word_maps():
    rows = [
        ("upper words", "[w.upper() for w in ws]", NONE,
         "write each word in capitals", "make every word upper case", "turn words into capitals"),
        ("reverse words", "[w[::-1] for w in ws]", NONE,
         "reverse each word", "spell every word backwards", "mirror the letters of words"),
        ("initials", "[w[0] for w in ws]", NONE,
         "take the initial of each word", "replace every word by its first letter", "keep only initials"),
        ("repeat words", "[w * {k} for w in ws]", numbers(2, 3),
         "repeat each word {k} times", "write every word {k} times", "multiply words by {k}"),
        ("clip words", "[w[:{k}] for w in ws]", numbers(2, 4),
         "cut each word to {k} letters", "clip every word after {k} letters", "shorten words to {k} letters"),
        ("tag words", "[w + '{c}' for w in ws]", letters("abxyz"),
         "append {c} to each word", "end every word with {c}", "put {c} behind words"),
    ]
    return [Operation(name, "maps", "words", "words", code, tuple(phrases), constants)
            for name, code, constants, *phrases in rows]


def _list_structure():
    """structure: order and extent."""
    few = numbers(1, 4)
    rows = [
        ("sort", "sorted(xs)", NONE,
         "sort ascending", "order from small to large", "arrange upwards"),
        ("descend", "sorted(xs)[::-1]", NONE,
         "sort descending", "order from large to small", "arrange downwards"),
        ("reverse", "xs[::-1]", NONE,
         "reverse the list", "flip the order", "go from back to front"),
        ("unique", "sorted(set(xs))", NONE,
         "sort without duplicates", "list distinct values in order", "remove repeats and sort"),
        ("take", "xs[:{k}]", few,
         "take the first {k}", "keep {k} from the front", "use only the leading {k}"),
        ("last", "xs[-{k}:]", few,
         "take the last {k}", "keep {k} from the back", "use only the trailing {k}"),
        ("drop", "xs[{k}:]", few,
         "skip the first {k}", "drop {k} from the front", "leave out the leading {k}"),
        ("trim", "xs[:-{k}]", few,
         "skip the last {k}", "drop {k} from the back", "leave out the trailing {k}"),
        ("alternate", "xs[::2]", NONE,
         "take every second one", "keep even positions", "use alternate items"),
        ("odd places", "xs[1::2]", NONE,
         "take every second one from the next", "keep odd positions", "skip alternate items"),
        ("rotate", "xs[{k}:] + xs[:{k}]", few,
         "rotate left by {k}", "move {k} from front to back", "turn the list by {k} places"),
        ("mirror", "xs + xs[::-1]", NONE,
         "append the reversed list", "add a mirror image", "go there and back"),
        ("twice", "xs + xs", NONE,
         "repeat the list", "append a copy", "go through it twice"),
        ("by size", "sorted(xs, key=abs)", NONE,
         "sort by absolute value", "order by distance from zero", "arrange by magnitude"),
        ("append", "xs + [{k}]", numbers(0, 9),
         "append {k}", "put {k} at the end", "attach {k} behind"),
        ("prepend", "[{k}] + xs", numbers(0, 9),
         "prepend {k}", "put {k} at the start", "attach {k} in front"),
    ]
    return [Operation(name, "structure", "list", "list", code, tuple(phrases), constants)
            for name, code, constants, *phrases in rows]


def _text_structure():
    few = numbers(1, 4)
    words = [
        ("sort words", "sorted(ws)", NONE,
         "sort the words", "order words by alphabet", "arrange words from a to z"),
        ("words by length", "sorted(ws, key=len)", NONE,
         "sort the words by length", "order words from short to long", "arrange words by size"),
        ("reverse order", "ws[::-1]", NONE,
         "reverse the word order", "flip the order of words", "go from last word to first"),
        ("first words", "ws[:{k}]", few,
         "take the first {k} words", "keep {k} words from the front", "use only {k} leading words"),
        ("drop words", "ws[{k}:]", numbers(1, 2),
         "skip the first {k} words", "drop {k} words from the front", "leave out {k} leading words"),
        ("last words", "ws[-{k}:]", few,
         "take the last {k} words", "keep {k} words from the back", "use only {k} trailing words"),
    ]
    strings = [
        ("backwards", "s[::-1]", NONE,
         "reverse the string", "read it backwards", "mirror the text"),
        ("head", "s[:{k}]", numbers(3, 9),
         "take the first {k} characters", "keep {k} characters from the front", "cut after {k} characters"),
        ("tail", "s[-{k}:]", numbers(3, 9),
         "take the last {k} characters", "keep {k} characters from the back", "use only {k} final characters"),
        ("skip head", "s[{k}:]", few,
         "skip the first {k} characters", "drop {k} characters from the front", "start after {k} characters"),
        ("thin out", "s[::2]", NONE,
         "take every second character", "keep characters at even positions", "use alternate characters"),
        ("turn text", "s[{k}:] + s[:{k}]", few,
         "rotate the text by {k}", "move {k} characters to the back", "turn the string by {k} places"),
    ]
    return [Operation(name, "structure", kind, kind, code, tuple(phrases), constants)
            for kind, rows in (("words", words), ("string", strings))
            for name, code, constants, *phrases in rows]


def _text():
    """text: characters, single numbers, and ways between numbers and lists."""
    rows = [
        ("upper", "s.upper()", NONE, "write it in capitals", "make the text upper case", "raise all letters"),
        ("lower", "s.lower()", NONE, "write it in small letters", "make the text lower case", "lower all letters"),
        ("swap case", "s.swapcase()", NONE, "swap the case", "exchange small and capital letters", "toggle the case"),
        ("title", "s.title()", NONE, "capitalize each word", "write it as a title", "start words with capitals"),
        ("replace", "s.replace('{c}', 'o')", letters("aeiu"),
         "replace {c} by o", "write o for {c}", "turn every {c} into o"),
        ("remove", "s.replace('{c}', '')", letters("aeioustn"),
         "remove each {c}", "delete the letter {c}", "leave out every {c}"),
        ("double", "s + s", NONE, "double the text", "append the string to itself", "write it twice"),
        ("suffix", "s + '{c}'", letters("abxyz"), "append the letter {c}", "end the text with {c}", "put {c} last"),
        ("prefix", "'{c}' + s", letters("abxyz"), "prepend the letter {c}", "start the text with {c}", "put {c} first"),
        ("join dashes", "s.replace(' ', '-')", NONE,
         "turn spaces into dashes", "replace blanks by dashes", "write dashes for spaces"),
    ]
    return [Operation(name, "text", "string", "string", code, tuple(phrases), constants)
            for name, code, constants, *phrases in rows]


def _numbers():
    arithmetic = [
        ("plus", "n + {k}", numbers(1, 9), "add {k} to the result", "count {k} more", "make it larger by {k}"),
        ("minus", "n - {k}", numbers(1, 9), "subtract {k} from the result", "count {k} less", "make it smaller by {k}"),
        ("times", "n * {k}", numbers(2, 5), "multiply the result by {k}", "take it {k} times", "scale it by {k}"),
        ("power", "n * n", NONE, "square the result", "multiply it by itself", "take its square"),
        ("modulo", "n % {k}", numbers(3, 9), "reduce the result modulo {k}", "take its remainder by {k}", "take its rest modulo {k}"),
        ("halve", "n // {k}", numbers(2, 5), "divide the result by {k} rounding down", "floor divide it by {k}", "take its whole quotient by {k}"),
        ("from", "{k} - n", numbers(1, 9), "subtract the result from {k}", "take {k} minus it", "take its distance below {k}"),
        ("size", "abs(n)", NONE, "take its absolute value", "drop its sign", "take its magnitude"),
    ]
    spreads = [
        ("digits", "[int(c) for c in str(abs(n))]", NONE, "list its digits", "split it into digits", "take the digits"),
        ("count up", "list(range(n))", NONE, "list the numbers below it", "count from zero up to it", "take all numbers before it"),
        ("one to", "list(range(1, n + 1))", NONE, "list the numbers from one to it", "count from one through it", "take all numbers up to it"),
        ("divisors", "[d for d in range(1, n + 1) if n % d == 0]", NONE, "list its divisors", "find the numbers that divide it", "take all its factors"),
    ]
    return [Operation(name, "text", "number", target, code, tuple(phrases), constants)
            for target, rows in (("number", arithmetic), ("list", spreads))
            for name, code, constants, *phrases in rows]


def _common():
    """common: what every model practises; filters and the ways between text and words."""
    rows = [
        ("list", "list", "even", "[x for x in xs if x % 2 == 0]", NONE,
         "keep even numbers", "drop odd numbers", "use only even ones"),
        ("list", "list", "odd", "[x for x in xs if x % 2 == 1]", NONE,
         "keep odd numbers", "drop even numbers", "use only odd ones"),
        ("list", "list", "above", "[x for x in xs if x > {k}]", numbers(0, 6),
         "keep numbers above {k}", "drop numbers up to {k}", "use only those greater than {k}"),
        ("list", "list", "below", "[x for x in xs if x < {k}]", numbers(4, 9),
         "keep numbers below {k}", "drop numbers from {k} up", "use only those less than {k}"),
        ("list", "list", "multiples", "[x for x in xs if x % {k} == 0]", numbers(3, 4),
         "keep multiples of {k}", "drop what {k} does not divide", "use only those divisible by {k}"),
        ("list", "list", "without", "[x for x in xs if x != {k}]", numbers(0, 9),
         "remove every {k}", "drop numbers equal to {k}", "use only those other than {k}"),
        ("words", "words", "long words", "[w for w in ws if len(w) > {k}]", numbers(2, 4),
         "keep words longer than {k}", "drop words of up to {k} letters", "use only words above {k} letters"),
        ("words", "words", "words with", "[w for w in ws if '{c}' in w]", letters("aeio"),
         "keep words with {c}", "drop words without {c}", "use only words that contain {c}"),
        ("words", "string", "join", "' '.join(ws)", NONE,
         "join them with spaces", "put the words together", "make a sentence of words"),
        ("words", "list", "lengths", "[len(w) for w in ws]", NONE,
         "take the word lengths", "replace words by their lengths", "measure every word"),
        ("string", "words", "split", "s.split()", NONE,
         "split it into words", "list the words", "take the words"),
    ]
    return [Operation(name, "common", source, target, code, tuple(phrases), constants)
            for source, target, name, code, constants, *phrases in rows]


def _aggregates():
    """aggregates: many values to one."""
    rows = [
        ("list", "sum", "sum(xs)", NONE, "sum them up", "take the total", "add all numbers"),
        ("list", "largest", "max(xs)", NONE, "take the largest", "find the maximum", "pick the biggest"),
        ("list", "smallest", "min(xs)", NONE, "take the smallest", "find the minimum", "pick the least"),
        ("list", "length", "len(xs)", NONE, "count them", "take the length", "count how many there are"),
        ("list", "first", "xs[0]", NONE, "pick the first one", "take the head", "choose the front item"),
        ("list", "final", "xs[-1]", NONE, "pick the last one", "take the end", "choose the back item"),
        ("list", "spread", "max(xs) - min(xs)", NONE,
         "subtract the smallest from the largest", "take the spread", "find the range of values"),
        ("list", "distinct", "len(set(xs))", NONE,
         "count distinct values", "count without repeats", "find how many differ"),
        ("words", "word count", "len(ws)", NONE, "count the words", "find the number of words", "see how many words remain"),
        ("string", "text length", "len(s)", NONE, "count the characters", "measure the text", "take the string length"),
        ("string", "letter count", "s.count('{c}')", letters("aeio"),
         "count each {c}", "count the letter {c}", "find how often {c} occurs"),
    ]
    return [Operation(name, "aggregates", source, "number", code, tuple(phrases), constants)
            for source, name, code, constants, *phrases in rows]


OPERATIONS = tuple(_list_maps() + _word_maps() + _list_structure() + _text_structure() + _text()
                   + _numbers() + _common() + _aggregates())
BY_NAME = {operation.name: operation for operation in OPERATIONS}
assert len(BY_NAME) == len(OPERATIONS)
