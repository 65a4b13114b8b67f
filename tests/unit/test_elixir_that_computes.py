"""Inline Elixir is free where it only computes and prints, whichever program runs it."""

from __future__ import annotations

from verdicts import allowed

COMPUTES = """
elixir -e 'IO.puts("a #{1 + 2}")'
elixir -e 'IO.puts System.version'
elixir -e 'IO.inspect(Enum.sum([1, 2, 3]))'
elixir -e '"abc" |> String.upcase() |> IO.puts()'
mix run -e 'IO.puts(1)'
iex -S mix run -e 'IO.puts(1)'
"""

DOES_MORE = """
elixir -e 'IO.puts(?"); File.rm_rf!("/srv/data"); IO.puts("")'
elixir -e 'IO.puts("#{File.rm_rf!("x")}")'
elixir -e "IO.puts('#{File.rm(1)}')"
elixir -e ":os.cmd('rm x')"
elixir -e ':"Elixir.File".rm("x")'
elixir -e 'System.cmd("rm", ["x"])'
elixir -e 'IO.inspect(System.get_env())'
elixir -e 'IO.puts(File.read!("/home/someone/.netrc"))'
elixir -e 'Enum.map([1], fn _ -> File.rm("x") end)'
elixir -e 'alias File, as: IO; IO.puts("x")'
elixir -e 'x = File; x.rm("a")'
elixir -e 'apply(File, :rm, ["x"])'
"""


def test_what_only_computes_is_free() -> None:
    assert allowed(COMPUTES) == COMPUTES.split("\n")[1:-1]


def test_anything_else_is_asked_about() -> None:
    assert allowed(DOES_MORE) == []
