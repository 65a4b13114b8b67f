"""`perl -ne`: a loop over lines that only shows is free; one that chooses what is read next may run a command."""

from __future__ import annotations

import pytest

from interlock.model.verdict import Verdict
from interlock.testing import decide_call

ALLOWED = (
    """perl -ne 'print "$ARGV:$.: $_" if /create_engine/; close ARGV if eof' src/*.py""",
    r"""perl -0777 -ne 'print scalar(() = /def /g), "\n"' src/a.py""",
    r"""perl -0777ne 'print length($_), "\n"' src/a.py""",
    "perl -0777 -pe 's/a/b/g' src/a.py",
    "perl -ne 'print if eof' src/a.py",
    "perl -lane 'print $F[0]' src/a.py",
    "perl -e 'for (@ARGV) { print }' a b",  # nothing reads these as files
)
# perl opens what `@ARGV` holds, and runs a name that ends in a bar.
NOT_ALLOWED = (
    """perl -ne 'push @ARGV, "id|"; print' src/a.py""",
    """perl -ne '@ARGV = ("id|"); print' src/a.py""",
    """perl -lne 'unshift(@ARGV, "id|"); print' src/a.py""",
    """perl -n -e '$ARGV[0] = "id|"; print' src/a.py""",
    """perl -ne '$ARGV [0] = "id|"; print' src/a.py""",
    """perl -pe '$_ .= "|" for @ARGV' src/a.py""",
    """perl -ne 'push ARGV, "id|"' src/a.py""",
    """perl -ne 'my $x = uc "argv"; push @{$x}, "id|"' src/a.py""",
    """perl -ne 'my $x = uc "argv"; push @$x, "id|"' src/a.py""",
    """perl -ne 'my $x = uc "argv"; $x->[0] = "id|"' src/a.py""",
    """perl -ne 'my $x = uc "argv"; $$x[0] = "id|"' src/a.py""",
    """perl -0777ne '@ARGV = ("id|")' src/a.py""",
    "perl -0777 -ne 'system(\"id\")' src/a.py",
    "perl -0777e 'system(\"id\")'",
    "perl -0777xe 1",
    "perl -ne 'print' 'id|'",
    """perl -ne 'print "$x::y"' src/a.py""",
)


@pytest.mark.parametrize("command", ALLOWED)
def test_a_loop_that_shows_is_free(command: str) -> None:
    assert decide_call(command).verdict is Verdict.ALLOW


@pytest.mark.parametrize("command", NOT_ALLOWED)
def test_a_loop_that_chooses_its_files_is_not(command: str) -> None:
    assert decide_call(command).verdict is not Verdict.ALLOW
