"""Compilers and interpreters of languages that few projects are written in, hardware languages and WebAssembly.

A compiler writes what it is told to; an interpreter of a language that is not read runs what the project has, and
what it is handed in words or by this session is opaque (special `interpreter`).
"""

from __future__ import annotations

from .kinds import EDITS, each, installs, project, publishes, restores, worded
from .spec import Adds, P

__all__ = ["PROGRAMS"]

_LOADS = {"loads": Adds(opaque="an option that makes the compiler run or load another program")}
_OUT = "-o|--output:write -I:text -L:text -D:text -O?:text -v --version -h --help"

_WASM = "--dir:text --env:text --mapdir:text --invoke:text"

PROGRAMS = (
    # Lisp, Prolog, ML, Raku and others: run files, and text that is not read
    P("sbcl", special="interpreter", stdin="code.lisp", does="execute", also="ecl clisp ccl abcl",
        options="--eval:code --load:load --script --noinform --non-interactive --quit --disable-debugger --no-userinit "
        "-e:code -x:code -q -ansi --version", example="sbcl --script a.lisp"),
    P("guile", special="interpreter", stdin="code.scheme", does="execute", also="chicken-csi csi gsi chibi-scheme",
        options="-c:code -e:code -l:load -L:value -s -q --no-auto-compile -script --version"),
    P("racket", special="interpreter", stdin="code.racket", does="execute", options="-e:code -l:load -t:load -r:load "
        "-n -q --version"),
    P("swipl", special="interpreter", stdin="code.prolog", does="execute", also="gprolog yap",
        options="-g:code -t:code -s:load -q -f:load --version"),
    P("ocaml", special="interpreter", stdin="code.ocaml", does="execute", also="utop", options="-e:code -I:value "
        "-init:load -noinit -version"),
    P("raku", special="interpreter", stdin="code.raku", does="execute", also="perl6", options="-e:code -I:value "
        "-M:load -n -p -c --version"),
    P("gforth", special="interpreter", stdin="code.forth", does="execute", options="-e:code --evaluate:code"),
    P("wolframscript", special="interpreter", stdin="code.wolfram", does="execute", options="-code:code -c:code "
        "-file -f -print"),
    P("raco", words=2, subs=(project("test", "runs*", also="make exe setup"), P("pkg", words=3, subs=(
        installs("install"), *each("raco", "show", "read"))), P("fmt", "read*", action="raco:fmt", does="read",
            options="-i|--in-place --width:number --indent:number --config:runs", words=2, flags={"-i": EDITS}))),
    # compilers
    project("ponyc", "runs*", options="-o|--output:write -p|--path:runs -b|--bin-name:text -D|--define:text "
        "-r|--pass:text "
        "-d|--debug -V:number --version -h", does="execute write", example="ponyc src -o build"),
    P("corral", words=2, subs=(restores("fetch", also="update"), project("run"), *each("corral", "list info version",
        "read"), *each("corral", "add remove init clean", "write"))),
    P("fpc", "read*", options=f"{_OUT} -F:text -M:text -g -B", also="gpc ppcx64", does="write", action="exec:fpc"),
    P("gnatmake", "read*", options=f"{_OUT} -aI:text -P:runs -cargs -largs -bargs", does="write",
        action="exec:gnatmake"),
    project("gprbuild", options="-P:runs -X:text -j:number", also="gprclean alr"),
    P("haxe", "runs*", options="-cp|-p:runs -main|-m:text -js:write -cpp:write -python:write -hl:write -neko:write "
        "-lib:text --run:runs --cmd|-cmd:command", action="exec:project", does="execute write", tags="unread"),
    P("elm", words=2, subs=(project("make", "runs*", options="--output:write --optimize --debug"),
        installs("install"), project("reactor", does="spawn execute"), P("repl", special="opaque", does="execute"),
        *each("elm", "init", "write"), publishes("publish", "elm:publish"), *each("elm", "diff bump", "network"))),
    P("purs", words=2, subs=(project("compile", "runs*", options="-o|--output:write -g:text"), *each("purs",
        "ide docs graph", "read"))),
    P("spago", words=2, subs=(project("build", also="test run bundle"), installs("install"))),
    P("solc", "read*", options="-o|--output-dir:write --bin --abi --optimize --optimize-runs:number --base-path:text "
        "--include-path:text --combined-json:text --standard-json", also="vyper", does="write", action="exec:solc"),
    P("coqc", "read*", options="-Q:text -R:text -I:text -o:write -q", also="agda idris2", does="write",
        action="exec:coqc"),
    project("lake", words=2, also="leanc elan-init"),
    P("lean", "runs*", options="--run!runs -o:write -i:write -c:write --make --version", does="execute",
        action="exec:project", tags="unread"),
    project("mono", "runs text*", options="--debug --version"),
    P("thrift", "read*", options="-o|-out:write -r -v --gen|-gen:text -I:text", also="flatc capnp", does="write",
        action="exec:thrift"),
    # LLVM, WebAssembly
    P("llc", "read*", options="-o:write -march|-mcpu|-mtriple|-filetype|-relocation-model:text -O?:text "
        "-load|-load-pass-plugin|--load-pass-plugin:plugin!loads", also="opt llvm-dis llvm-link llvm-extract "
        "llvm-bcanalyzer llvm-cat", flags=_LOADS, does="write", action="exec:llvm"),
    project("lli", "runs text*", options="-load:plugin!loads -jit-kind:text", flags=_LOADS),
    P("wat2wasm", "read*", options="-o|--output:write --enable-all --debug-names", does="write", action="exec:wabt",
        also="wasm2wat wasm2c wasm-objdump wasm-validate wasm-strip wasm-opt wasm-dis wasm-as wasm-metadce "
        "wasm-decompile "
        "wasm-tools wit-bindgen", example="wat2wasm a.wat -o a.wasm"),
    worded(project("wasmtime", "runs text*", also="wasmer wasmedge", options=_WASM), "run serve compile"),
    project("wasm3", "runs text*", also="wasm-interp", options=_WASM),
    # hardware
    P("iverilog", "read*", options="-o:write -I:text -D:text -s:text -g?:text -W?:text -y:text -c|-f:read "
        "-t:text -tnull",
        does="write", action="exec:iverilog", example="iverilog -o a.vvp a.v"),
    project("vvp", "runs text*", options="-M:runs -m:text -l:write -n -N"),
    project("verilator", "runs*", options="--top-module:text -Mdir:write -o:write -CFLAGS:text -LDFLAGS:text -I:text "
        "-D:text --exe --build --cc --lint-only -Wall --binary --trace", does="execute write"),
    P("ghdl", "text*", options="--workdir:write --std:text --work:text -o:write --vcd:write --wave:write -a -e -r "
        "--stop-time:text", action="exec:project", does="execute write", tags="unread"),
    # coverage of compiled programs
    P("gcov", "read*", options="-o|--object-directory:text -b -c -a -n -r -p -t -j", does="write", action="exec:gcov"),
    worded(P("llvm-cov", "read*", options="-o|--output:write --output-dir:write -instr-profile|--instr-profile:read",
        does="write", also="llvm-profdata gcov-tool", action="exec:gcov"), "export gcov merge report show"),
    P("lcov", "read*", options="-c|--capture -d|--directory:list -o|--output-file:write -a|--add-tracefile:read "
        "-r|--remove:read -e|--extract:read -l|--list:read -q --rc:text --ignore-errors:text -z|--zerocounters "
        "--gcov-tool:starts --config-file:read", does="write", action="exec:lcov"),
    P("genhtml", "read*", options="-o|--output-directory:write -t|--title:text -q --legend", does="write"),
    # which Java is meant
    P("java_home", options="-v|--version:text -a|--arch:text -V -F|--failfast --exec!runs", does="read",
        flags={"runs": Adds(opaque="an option that runs a command")}, action="exec:java_home"),
    P("java-config", options="-L -l -p:text -O -o -J -c -f --list-available-vms --jre-home --jdk-home --java --javac "
        "--runtime --classpath:text -S|--set-system-vm:text!sets -s|--set-user-vm:text!sets", does="read",
        flags={"sets": Adds(tags=("privileged",))}, action="exec:java-config"),
    # tests of shell scripts
    project("bats", "runs*", options="-r|--recursive -f|--filter:text -t|--tap -j|--jobs:number -F|--formatter:loads "
        "-o|--output:write --report-formatter:loads -T|--timing", also="shellspec shunit2 roundup"),
)  # fmt: skip
