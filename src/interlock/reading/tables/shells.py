"""Shells and interpreters: what they run is read, where it can be had."""

from __future__ import annotations

from .spec import P

__all__ = ["PROGRAMS"]

PROGRAMS = (
    P(
        "bash",
        special="shell_program",
        stdin="code.sh",
        does="execute",
        also="sh dash ash rbash",
        example="bash -c 'ls'",
    ),
    P(
        "zsh",
        special="shell_program",
        stdin="code.other",
        tags="foreign",
        does="execute",
        also="ksh mksh fish csh tcsh nu elvish xonsh pwsh powershell cmd",
    ),
    P(
        "python",
        special="interpreter",
        stdin="code.py",
        does="execute",
        also="python3 python2 pypy pypy3 py",
        options="-c:code -m:module -W:value -X:value -u -B -b -bb -d -E -I -i -O -OO -q -s -S -v -P "
        "--check-hash-based-pycs:value",
        example="python -m pytest",
    ),
    P(
        "node",
        special="interpreter",
        stdin="code.node",
        does="execute",
        also="nodejs",
        options="-e:code --eval:code -p:code --print:code -r:load --require:load --import:load --loader:load "
        "--experimental-loader:load --check:check -c:check --test --watch --inspect --inspect-brk --no-warnings "
        "--trace-warnings --trace-deprecation --trace-uncaught --unhandled-rejections:value --stack-trace-limit:value "
        "--expose-gc --prof --cpu-prof --heap-prof --cpu-prof-dir:write --heap-prof-dir:write "
        "--max-old-space-size:value --input-type:value --env-file:env-file "
        "--env-file-if-exists:env-file --experimental-vm-modules --enable-source-maps --test-only --test-force-exit "
        "--experimental-test-coverage --experimental-test-module-mocks --experimental-strip-types "
        "--test-name-pattern:value --test-skip-pattern:value --test-concurrency:value --test-timeout:value "
        "--test-shard:value --test-reporter:reporter --test-reporter-destination:write",
    ),
    P(
        "perl",
        special="interpreter",
        stdin="code.perl",
        does="execute",
        options="-e:code -E:code -I:runs -M:load -m:load -w -W -t -T -n -p -i -l -0 -a -F:value -c -v",
    ),
    P(
        "ruby",
        special="interpreter",
        stdin="code.ruby",
        does="execute",
        also="jruby",
        options="-e:code -r:load -I:runs -w -W -n -p -i -l -a -c:check -v -C:value",
    ),
    P(
        "php",
        special="interpreter",
        stdin="code.php",
        does="execute",
        options="-r:code -B:code -R:code -E:code -F:code -d:php-setting -c:runs -S:value -t:value -l:check -n -i -m -v "
        "-a --ini --info --modules",
    ),
    P(
        "lua",
        special="interpreter",
        stdin="code.lua",
        does="execute",
        also="luajit lua5.3 lua5.4",
        options="-e:code -l:load -i -v -E",
    ),
    P(
        "Rscript",
        special="interpreter",
        stdin="code.R",
        does="execute",
        options="-e:code --vanilla --slave --no-save --no-restore --no-echo --quiet -q -s",
    ),
    P(
        "julia",
        special="interpreter",
        stdin="code.julia",
        does="execute",
        options="-e:code -E:code -L:load --project:value -t:value -q",
    ),
    P("tclsh", special="interpreter", stdin="code.tcl", does="execute", also="wish expect", options="-c:code -f:value"),
    P(
        "osascript",
        special="interpreter",
        stdin="code.applescript",
        does="execute",
        options="-e:code -l:value -s:value",
    ),
    P(
        "groovy",
        special="interpreter",
        stdin="code.groovy",
        does="execute",
        also="scala kotlin irb ghci",
        options="-e:code",
    ),
    P("busybox", "command", does="execute", also="toybox", example="busybox ls"),
)
