"""Documents that this session wrote, and a program that converts them: what they take in is read, what they run is run.

`\\input{…}`, an entity of XML, `.. include::` and a list of parts for ffmpeg make the converter read a file and put it
into what it makes. That is a read like any other, marked by the place that it names.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING
from ..evaluate.contents import texts_of_file
from ..evaluate.words import NUL, Arg
from ..machine.acts import on_path
from ..places.paths import Unsettled, in_project, settle
from .look import Hit
from .run import ask_about

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..evaluate.state import Shell

__all__ = ["read_documents"]

_TEX = (".tex", ".sty", ".cls", ".ltx", ".bib", ".lua")
_TEXT = (".rst", ".md", ".txt", ".adoc", ".inc")

# programs -> endings of what they may take in beside the files that the command names
_PROGRAMS: dict[str, tuple[str, ...]] = {
    program: endings
    for programs, endings in (
        ("lualatex luatex pdflatex xelatex latex tex pdftex xetex latexmk tectonic arara context lualatex-dev", _TEX),
        ("sphinx-build sphinx-autobuild mkdocs", _TEXT),
        ("pandoc rst2html rst2html5 rst2latex rst2man rst2odt rst2pdf rst2xml docutils quarto markdown", ()),
        ("asciidoctor asciidoctor-pdf asciidoc a2x antora plantuml dot mmdc typst m4 groff troff nroff man", ()),
        ("rsvg-convert inkscape convert magick cairosvg svgo weasyprint wkhtmltopdf wkhtmltoimage chromium", ()),
        ("xmllint xsltproc xmlto fop saxon dblatex soffice libreoffice", ()),
        ("ffmpeg ffprobe ffplay avconv mkvmerge sox mlt melt", ()),
    )
    for program in programs.split()
}
# How a document names what it takes in; the path is the last group.
_TAKES_IN = re.compile(
    r"<!ENTITY[^>]*\b(?:SYSTEM|PUBLIC\s+[\"'][^\"']*[\"'])\s+[\"']([^\"']+)"
    r"|<!DOCTYPE[^>\[]*\bSYSTEM\s+[\"']([^\"']+)"
    r"|\binclude\b[^>]*\bhref\s*=\s*[\"']([^\"']+)"
    r"|\b(?:xlink:href|href|src|data)\s*=\s*[\"'](file:[^\"']+|~[^\"']*|/[^\"']+)"
    r"|\bdocument\(\s*[\"']([^\"']+)|\burl\(\s*[\"']?(file:[^\"')]+)"
    r"|\\(?:input|include|verbatiminput|VerbatimInput|lstinputlisting|includegraphics|includepdf|subfile|inputminted"
    r"|embedfile|attachfile)\*?(?:\[[^\]]*\])?(?:\{\w+\}(?=\{))?\s*\{?\s*\"?([^\s{}\"|]+)"
    r"|\\openin\s*\\?\w+\s*=?\s*\{?([^\s{}]+)"
    r"|^[ \t]*\.\.[ \t]+(?:include|literalinclude|mdinclude|image|figure)::[ \t]*(\S+)|^[ \t]+:file:[ \t]*(\S+)"
    r"|^(?:include|image)::([^\[\s]+)\[|^[ \t]*!include(?:url|sub|_once|_many)?[ \t]+(\S+)"
    r"|^[ \t]*file[ \t]+'?([^'\s]+)|\binclude\(\s*[`\"']?([^)'\"`]+)|^\.so[ \t]+(\S+)|\bread\(\s*\"([^\"]+)"
    r"|\{!\s*([^\s!]+)\s*!\}|--8<--[ \t]+[\"']([^\"']+)|\{%\s*include[^%]*?[\"']([^\"']+)",
    re.MULTILINE,
)
_RUNS = re.compile(
    r"\\(?:immediate\s*)?write\s*18\b|\\ShellEscape\b|\\input\s*\{?\s*\"?\||\\openin[^\n]*\|"
    r"|\bos\.(?:execute|exec|remove|rename|spawn|kill|tmpname)\b|\bio\.(?:popen|open|output|lines)\b|\blfs\.rmdir\b"
    r"|\bsyscmd\(|\besyscmd\(|\bdynlib\b|\bpackage\.loadlib\b"
)
_MOST = 40


def read_documents(program: str, words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """What the documents of this session make their converter take in or run."""
    endings = _PROGRAMS.get(program)
    if endings is None:
        return
    facts = shell.found.facts
    written = {*shell.files, *facts.written}
    left = [path for path in _operands(words, shell) if path in written]
    if endings:
        left += sorted(path for path in written if path.endswith(endings) and in_project(facts.root, path))
    seen: set[str] = set()
    while left and len(seen) < _MOST:
        path = left.pop(0)
        if path in seen:
            continue
        seen.add(path)
        for text in texts_of_file(path, shell) or ():
            found = _RUNS.search(text) if endings == _TEX or program == "m4" else None
            if found is not None:
                line = text.count("\n", 0, found.start())
                hit = Hit(line=line + 1, text=text.split("\n")[line].strip()[:120], why="runs what it holds")
                ask_about(f"{program} with", path, [path], hit, span, shell)
            for place in _taken_in(text, path, shell):
                if place in written:
                    left.append(place)
                else:
                    on_path("read", Arg(place, span, quoted=True), shell)


def _operands(words: list[Arg], shell: Shell) -> Iterator[str]:
    for word in words[1:]:
        name = word.text.partition("=")[2] if word.text[:1] == "-" else word.text
        yield from _settled(name, (shell.folders or ("/",))[0], shell)


def _taken_in(text: str, path: str, shell: Shell) -> Iterator[str]:
    """Where a document says that something is to be put into it from."""
    for found in _TAKES_IN.finditer(text):
        name = next(filter(None, found.groups()), "").strip()
        if "://" in name and not name.startswith("file:"):
            continue
        yield from _settled(re.sub(r"^file:(?://)?", "", name), path.rpartition("/")[0], shell)


def _settled(name: str, folder: str, shell: Shell) -> Iterator[str]:
    if name and NUL not in name and "$" not in name:
        try:
            yield settle(name, cwd=folder, home=shell.found.facts.home)
        except Unsettled:
            return
