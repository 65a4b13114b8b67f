"""What Python code hands on: a function that acts may then be called with anything, a module used by any name."""

from __future__ import annotations

from .calls import ACTING, ACTING_NAMES
from .environment import Environment
from .standard import CALLED_WORDS
from .values import BY_NAME, UNKNOWN, Function, Given, Held

__all__ = ["CALLABLE", "Handing"]

CALLABLE = ("partial", "method", "caller")  # kinds of values that are called


class Handing(Environment):
    def loose(self, function: Function) -> None:
        raise NotImplementedError

    def apply(self, callee: Held, given: Given) -> Held:
        raise NotImplementedError

    def method(self, owner: Held, name: str, given: Given) -> Held:
        raise NotImplementedError

    def hand_on(self, held: Held) -> None:
        """A value that something else gets: a function that acts may then be called with anything."""
        self.touched += 1
        if held.code is not None:
            self.loose(held.code)
        elif held.name is not None:
            if held.name in ACTING_NAMES:
                what = "the module" if held.name in ACTING else "the function"
                self.unclear(f"{what} `{held.name}` is handed on, to be used elsewhere")
        elif held.kind == "partial":
            callee, args, words = held.data
            self.apply(callee, Given(list(args), dict(words), spread=True))
        elif held.kind == "method":
            self.method(held.data[0], held.data[1], Given([], spread=True))
        elif held.kind == "caller":
            self.method(UNKNOWN, held.data[0], held.data[1])
        elif held.flow & BY_NAME:
            self.unclear("what was looked up by its name is handed on, to be used elsewhere")

    def hand_on_functions(self, given: Given) -> None:
        """What only makes a value of what it is given: a function among that may still be called."""
        for held in (*given.args, *given.words.values()):
            if held.name is not None or held.code is not None or held.kind in CALLABLE:
                self.hand_on(held)

    def hand_on_words(self, given: Given) -> None:
        """What a function is told to call, by a word."""
        self.hand_on_functions(Given([], {word: given.words[word] for word in CALLED_WORDS & given.words.keys()}))

    def hand_on_all(self, given: Given) -> None:
        for held in given.args:
            if held.name is not None or held.code is not None or held.kind or held.flow & BY_NAME:
                self.hand_on(held)
        for held in given.words.values():
            if held.name is not None or held.code is not None or held.kind or held.flow & BY_NAME:
                self.hand_on(held)
