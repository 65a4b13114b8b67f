"""Builders, compilers and linkers of C and its kin, task runners, debuggers, and tools that look into object files."""

from __future__ import annotations

from .kinds import EDITS, each, project, publishes, restores
from .spec import Adds, P

__all__ = ["PROGRAMS"]

_CC = (
    "-run!runs -o:write -I:text -L:text -l:text -D:text -U:text -x:text -T:read -u:text -z:text -include|-imacros:read "
    "-isystem:text "
    "-iquote:text -idirafter:text -isysroot|--sysroot:text -MF:write -MT:text -MQ:text -Xlinker:flags "
    "-Xpreprocessor:flags "
    "-Xassembler:flags -arch:text -framework:text -target|--target:text -march:text -mcpu:text -mtune:text -std:text "
    "-G:text "
    "-aux-info:write -dumpdir:write -dumpbase:text -wrapper!loads -fplugin|-fpass-plugin:plugin!loads "
    "-specs|--specs:plugin!loads "
    "-B:plugin!loads "
    "-load:plugin!loads -Xclang:flags -mllvm:text --serialize-diagnostics:write --config:read -fuse-ld:loads -c -S -E "
    "-g -v -w -s -P -C"
)
_BAZEL = (
    "--shell_executable:runs --remote_executor:endpoint --remote_cache:endpoint --remote_proxy:endpoint "
    "--remote_downloader:endpoint --bes_backend:endpoint --symlink_prefix:write --build_event_json_file:write "
    "--build_event_text_file:write --profile:write --extra_toolchains:text --repo_env:text --action_env:text "
    "--workspace_status_command:code.sh --credential_helper:property --registry:registry "
    "--override_repository|--override_module|--inject_repository:property --test_arg:text --test_output:text "
    "--repository_cache:write --disk_cache:write --explain:write"
)
_LOADS = {
    "loads": Adds(opaque="an option that makes the compiler run or load another program"),
    "runs": Adds(opaque="what is compiled is run at once"),  # tcc, dmd
}
_LOOKS = (
    "-d -D -S -s -t -T -x -h -p -f -r -R -a -n -l -w -W -C -g -u -V -A -e -i -j:text -m:text -b:text -M:text -I:read "
    "-L:text"
)
_CMAKE = (
    "-S:runs -B:builds -G:text -D:text -U:text -C:runs -T:text -A:text -P:runs --preset:text --toolchain:runs "
    "--install-prefix:text "
    "--build:runs --install:runs --open:runs -t|--target:text --config:text -j|--parallel?:number --prefix:write "
    "--component:text "
    "-L -N -W:text --log-level:text --graphviz:write --trace-redirect:write -E!tool --workflow --find-package "
    "--debug-output"
)

PROGRAMS = (
    # builders
    project("make", "task*", also="gmake bmake nmake", special="make", options="-C|--directory:runs "
        "-f|--file|--makefile:runs "
        "-I|--include-dir:runs -j|--jobs?:number -l|--load-average?:number -o|--old-file:text -W|--what-if:text "
        "-E|--eval:code.make "
        "-O|--output-sync?:text --debug?:text -n|--just-print|--dry-run|--recon -q|--question -p|--print-data-base "
        "-k|--keep-going -S|--no-keep-going -B|--always-make -s|--silent|--quiet -i|--ignore-errors "
        "-e|--environment-overrides -r|--no-builtin-rules -R|--no-builtin-variables -t|--touch -w|--print-directory "
        "--no-print-directory --trace --warn-undefined-variables -L|--check-symlink-times -v|--version -h|--help -d",
        example="make -j4 test"),
    P("cmake", special="cmake", options=_CMAKE, action="exec:project", does="execute write", tags="unread",
        example="cmake -S . -B build"),
    project("ninja", "task*", also="samu", options="-C:runs -f:runs -j:number -k:number -l:number -d:text -t:text "
        "-w:text -n -v",
        example="ninja -C build"),
    P("meson", words=2, subs=(
        project("setup", "builds? runs?", options="-D:text --prefix:text --buildtype:text --native-file:runs "
            "--cross-file:runs"),
        project("compile", options="-C:runs -j:number --ninja-args:text"), project("test",
            options="-C:runs --wrapper:command -t:text "
            "--suite:text --num-processes:number --gdb-path:starts"),
        project("install", options="-C:runs --destdir:write", does="execute write"), project("dist", options="-C:runs"),
        project("configure", options="-D:text"), *each("meson", "introspect", "read"), P("init", action="meson:init",
            does="write"),
        restores("subprojects", also="wrap"), P("devenv", "command", options="-C:runs -w:text", does="execute"),
        ), default=project("meson", "runs*", options="-D:text")),
    project("scons", "task*", options="-f|--file:runs -C|--directory:runs -j:number -Y:runs -I:runs --site-dir:runs"),
    project("waf", "loads*", also="./waf b2 bjam premake premake5 tup redo qmake xmake gn imake mkmf pants please plz "
        "buck buck2 earthly garden dagger tilt", options="-t|--top:runs --prelude:code.py -f|--file:runs "
        "-m|--mod:loads -C|--directory:runs"),
    project("invoke", also="inv fab doit phing robo", options="-r|--search-root:runs -f|--file|--buildfile:runs "
        "-d|--dir:runs -c|--collection:text"),
    project("mage", options="-d:runs -w:list -f -h -l -v -t:text -compile:write -gocmd:starts -keep -clean -debug"),
    P("bazel", also="bazelisk", words=2, options="--bazelrc:runs --output_base:write --output_user_root:write",
        example="bazel test //...",
        subs=(project("build", options=f"{_BAZEL} -c:text --config:text --run_under:command "
            "-j|--jobs:text"),
            project("test", also="coverage", options=f"{_BAZEL} -c:text --config:text --run_under:command "
                "--test_filter:text"),
            project("run", options=f"{_BAZEL} -c:text --config:text --run_under:command --script_path:write"),
            restores("fetch", also="sync vendor mod", options=_BAZEL),
            *each("bazel", "query cquery aquery info version help dump print_action license analyze-profile",
                "execute read"),
            *each("bazel", "clean shutdown", "write"))),
    project("just", "task*", options="-f|--justfile:runs -d|--working-directory:runs --shell:starts --shell-arg:text "
        "-c|--command!runs --choose --chooser:command "
        "-n|--dry-run --set:text -l|--list --summary --show:text --dump --evaluate -E|--dotenv-path:read",
        dryrun="-n -l --summary --dump --show", flags={"runs": Adds(opaque="a command inside `just` is not read")}),
    P("task", words=2, also="go-task", options="-t|--taskfile:runs -d|--dir:runs -o|--output:text -C:number -n|--dry "
        "-l|--list -a",
        subs=(P("execute", "command", also="exec", does="execute"),),
        default=project("task", "task*", options="-t|--taskfile:runs -d|--dir:runs -n|--dry -l|--list -a|--list-all "
            "--summary",
            dryrun="-n -l -a --summary")),
    project("ctest", options="--test-dir:runs -S:runs -SP:runs -C:text -R:text -E:text -L:text -LE:text -j:number "
        "--timeout:number -N "
        "--output-junit:write -O|--output-log:write -D:text -M:text -T:text --build-and-test:runs", dryrun="-N"),
    project("autoconf", options="-o:write -I:runs -B:runs -W:text -t:text", also="autoreconf automake aclocal "
        "autoheader libtoolize "
        "autopoint autoupdate autoscan gettextize intltoolize bootstrap", does="execute write"),
    P("pkg-config", options="--define-variable:text --variable:text", does="read", action="exec:pkg-config",
        also="pkgconf"),
    P("ccache", "command", options="-s|--show-stats -z|--zero-stats -C|--clear -c|--cleanup -M|--max-size:text "
        "-F:text -o:text -k:text -p -V|--version -v", does="write"),
    P("distcc", "command", options="-j --show-hosts --help --version --scan-includes --show-principal",
        does="network", tags="sends"),
    # compilers and linkers
    P("gcc", "read*", also="g++ cc c++ clang clang++ gfortran gnat c89 c99 tcc icc icx nvcc emcc em++ mpicc mpicxx "
        "musl-gcc "
        "x86_64-linux-gnu-gcc aarch64-linux-gnu-gcc arm-none-eabi-gcc x86_64-w64-mingw32-gcc cpp hipcc gdc ldc2 dmd",
        options=_CC,
        action="exec:gcc", special="compiler", does="write", flags=_LOADS, example="gcc -O2 -o a a.c"),
    P("ld", "read*", also="ld.lld lld ld.gold ld.bfd gold mold wasm-ld", options=f"{_CC} -m:text -e:text -Map:write "
        "-plugin|--plugin:"
        "plugin!loads -rpath:text -soname:text -dynamic-linker:text -Ttext:text -b:text", action="exec:ld",
        special="compiler",
        does="write", flags=_LOADS),
    P("as", "read*", also="nasm yasm fasm gas llvm-as llvm-mc", options="-o:write -I:text -D:text -f:text -l:write "
        "-F:text -g -E -MD:write "
        "-P:read -p:read --defsym:text -a?:text -X:text -Z:write", action="exec:as", special="compiler", does="write",
        example="nasm -f elf64 a.asm"),
    P("ar", "text write read*", also="gcc-ar llvm-ar", special="ar", options="--plugin:plugin --target:text "
        "--output:write",
        does="write", example="ar rcs lib.a a.o"),
    P("ranlib", "edit*", also="llvm-ranlib", does="write"),
    P("strip", "edit*", also="llvm-strip", options="-o:write -K:text -N:text -R:text -F:text -I:text -O:text -w -s -g "
        "-d -S -x -X",
        does="write", example="strip a.out"),
    P("objcopy", "edit write?", options="-I:text -O:text -B:text -j:text -R:text -F:text --add-section:text "
        "--dump-section:text "
        "--update-section:text --rename-section:text --set-section-flags:text", does="write"),
    P("objdump", "read*", also="readelf nm size addr2line c++filt elfdump dwarfdump otool llvm-objdump llvm-nm "
        "llvm-readelf eu-readelf "
        "gprof pahole dumpbin bloaty llvm-dwarfdump llvm-size eu-nm lipo", options=_LOOKS, does="read",
        example="objdump -d a.o"),
    P("ldd", "runs*", options="-v -u -d -r", action="exec:ldd", does="execute", example="ldd ./a.out"),
    P("patchelf", "edit*", special="loads", also="chrpath install_name_tool codesign", options="--set-rpath:text "
        "--set-interpreter:text --add-needed:text --add-rpath:text "
        "--remove-needed:text --replace-needed:text --set-soname:text --output:write -r:text -s:text -f -v",
        does="write"),
    P("ldconfig", options="-p|--print-cache -v -n -N -X -f:read!loads -C:write -r:text", dryrun="-p --print-cache",
        action="sys:ldconfig", does="write", tags="privileged", flags=_LOADS),
    P("clang-format", "checked*", options="-i!inplace -style|--style:text -assume-filename|--assume-filename:text "
        "-n|--dry-run --files:read "
        "-fallback-style|--fallback-style:text -lines|--lines:text -Werror|--Werror", action="exec:clang-format",
        does="read",
        flags={"inplace": EDITS}, also="cmake-format"),
    P("uncrustify", "edit*", also="astyle indent", options="-f|-F:read -o:write -c:read -l:text --no-backup "
        "--replace", does="write"),
    P("clang-tidy", "checked*", options="-p:read -checks|--checks:text -config|--config:text "
        "-config-file|--config-file:read -fix|--fix!fix "
        "--fix-errors|-fix-errors!fix -header-filter|--header-filter:text --export-fixes|-export-fixes:write "
        "-load|--load:plugin!loads "
        "--extra-arg|-extra-arg:text -quiet", action="exec:clang-tidy", does="read",
        flags={"fix": EDITS, **_LOADS}, also="run-clang-tidy"),
    P("cppcheck", "checked*", options="-I:text -D:text -U:text -j:number --enable:text --suppress:text "
        "--output-file:write --project:read "
        "--cppcheck-build-dir:write --addon:runs --addon-python:starts "
        "--clang?:starts --platform:text --std:text --xml -q -v -f",
        does="read",
        action="exec:cppcheck", also="cpplint splint shellcheck hadolint yamllint actionlint vale proselint"),
    P("typos", "checked*", options="-w|--write-changes!writes --config|-c:read --format:text --exclude:text -j:number",
        does="read", flags={"writes": EDITS},
        action="exec:typos"),
    P("shfmt", "checked*", options="-w|--write!writes -i|--indent:number -ln:text -d -l -s -ci -bn -sr -kp -fn -f -p",
        action="exec:shfmt", does="read",
        flags={"writes": EDITS}),
    P("bear", "command", options="--output|-o:write --append|-a --force-wrapper --force-preload -v|--verbose "
        "--config:read", does="write"),
    # debuggers and the like run commands of their own
    P("gdb", "runs? text*", also="gdb-multiarch rust-gdb", special="gdb", does="execute", example="gdb -batch -ex bt "
        "./a.out core",
        options="-ex|--ex|-eval-command|--eval-command|-iex|--iex:script-line -x|--command|-ix:script-file "
            "-p|--pid:number -c|--core:read "
        "-d|--directory:text -cd|--cd:text -s|--symbols:read -e|--exec:runs -tty|--tty:text -b:text -l:text "
        "-args|--args "
        "-batch|--batch -batch-silent|--batch-silent -q -quiet|--quiet -nx|--nx -nh|--nh -n -return-child-result "
        "-silent --silent"),
    P("lldb", also="rust-lldb cgdb gdbserver lldb-server dlv jdb pwndbg r2 radare2 rizin crash scanmem gcore "
        "x64dbg windbg", special="opaque", does="execute"),
    # generators
    P("protoc", "read*", options="-I|--proto_path:text "
        "--python_out|--cpp_out|--java_out|--go_out|--js_out|--ts_out|--csharp_out|--ruby_out|"
        "--php_out|--kotlin_out|--objc_out|--rust_out|--grpc_out|--go-grpc_out|--grpc_python_out|--pyi_out:write "
        "-o|--descriptor_set_out:write --plugin:plugin!loads --dependency_out:write --decode:text --encode:text",
        action="exec:protoc",
        does="write", flags={"loads": Adds(opaque="runs a plug-in")}, example="protoc --python_out=. a.proto"),
    P("buf", words=2, subs=(project("generate", does="execute network write", options="--template:runs -o:write"),
        *each("buf", "lint breaking build ls-files config stats", "read"), *each("buf", "format dep mod",
            "write network"),
        publishes("push", "buf:push", compensator="none"))),
    P("flex", "read*", also="lex bison yacc byacc re2c ragel gperf antlr4 peg", options="-o|--output:write -b:text -d "
        "-v -t -l -i -S:runs "
        "-p:text -P:text --header-file?:write --defines?:write -m:text -L:text --skeleton:runs", action="exec:flex",
        does="write"),
    P("m4", special="opaque", does="execute"),
    P("swig", "read*", options="-o:write -outdir:write -I:text -D:text -module:text -python -java -c++", does="write",
        action="exec:swig"),
    P("ctags", "checked*", also="etags cscope gtags global universal-ctags", options="-f|-o:write -L:read "
        "--exclude:text --options:runs -R -a",
        action="exec:ctags", does="write"),
    P("doxygen", "read*", options="-g?:write -s -u -w:text -x", action="exec:doxygen", does="write execute"),
)  # fmt: skip
