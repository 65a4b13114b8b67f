"""Documents of a session that a converter takes in: what they name is read, what they run is asked about."""

# ruff: noqa: E501 - documents that people write read best as they are
# fmt: off
from __future__ import annotations

import pytest

from unit.two_steps import Steps, verdict

ACTS: list[Steps] = [
    ({'a.tex': "\\documentclass{article}\\begin{document}\\directlua{os.remove('/home/user/x')}\\end{document}"}, 'lualatex a.tex'),
    ({'a.tex': '\\immediate\\write18{rm -rf ~/x}\n'}, 'pdflatex -shell-escape a.tex'),
    ({'a.tex': '\\input{|"id"}\n'}, 'pdflatex a.tex'),
    ({'a.tex': '\\input{/home/user/.ssh/id_rsa}\n'}, 'pdflatex a.tex'),
    ({'a.tex': '\\verbatiminput{../../user/.ssh/id_rsa}\n'}, 'xelatex a.tex'),
    ({'a.tex': '\\input{b}\n', 'b.tex': '\\lstinputlisting[language=C]{~/.aws/credentials}\n'}, 'latexmk -pdf a.tex'),
    ({'a.svg': '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///home/user/.ssh/id_rsa">]><svg><text>&x;</text></svg>'}, 'rsvg-convert a.svg -o a.png'),
    ({'a.svg': '<svg xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/home/user/.ssh/id_rsa" parse="text"/></svg>'}, 'rsvg-convert -o a.png a.svg'),
    ({'a.xml': '<!DOCTYPE r [<!ENTITY x SYSTEM "/etc/shadow">]><r>&x;</r>'}, 'xmllint --noent a.xml'),
    ({'l.txt': "file '/home/user/.ssh/id_rsa'\n"}, 'ffmpeg -f concat -safe 0 -i l.txt out.mp4'),
    ({'a.rst': '.. include:: /home/user/.ssh/id_rsa\n'}, 'rst2html a.rst a.html'),
    ({'docs/a.rst': '.. literalinclude:: ../../.ssh/id_rsa\n'}, 'sphinx-build docs out'),
    ({'a.rst': '.. include:: /home/user/.ssh/id_rsa\n'}, 'pandoc a.rst -o a.html'),
    ({'a.puml': '@startuml\n!include /home/user/.ssh/id_rsa\n@enduml\n'}, 'plantuml a.puml'),
    ({'a.adoc': 'include::/home/user/.ssh/id_rsa[]\n'}, 'asciidoctor a.adoc'),
    ({'a.rst': '.. include:: .env\n'}, 'rst2html a.rst a.html'),
]
ORDINARY: list[Steps] = [
    ({'a.tex': '\\documentclass{article}\\begin{document}\\input{chapters/intro}\\includegraphics[width=1cm]{img/a.png}\\directlua{tex.print(1+1)}\\end{document}'}, 'lualatex a.tex'),
    ({'a.tex': '\\documentclass{article}\\begin{document}Keys lie in \\texttt{~/.ssh/id\\_rsa}.\\end{document}'}, 'pdflatex a.tex'),
    ({'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"><image href="logo.png"/><a href="https://x.example">x</a></svg>'}, 'rsvg-convert a.svg -o a.png'),
    ({'a.xml': '<?xml version="1.0"?><!DOCTYPE r SYSTEM "r.dtd"><r/>'}, 'xmllint --noout a.xml'),
    ({'l.txt': "file 'a.mp4'\nfile 'b.mp4'\n"}, 'ffmpeg -f concat -i l.txt out.mp4'),
    ({'docs/a.rst': '.. include:: ../README.rst\n.. literalinclude:: ../src/a.py\n   :language: python\n'}, 'sphinx-build docs out'),
    ({'a.md': 'Put your key into `~/.ssh/id_rsa`.\n\n![x](img/a.png)\n'}, 'pandoc a.md -o a.html'),
    ({'a.adoc': 'include::chapters/a.adoc[]\n'}, 'asciidoctor a.adoc'),
    ({'a.puml': '@startuml\n!include <C4/C4_Container>\n!include https://raw.githubusercontent.com/plantuml-stdlib/C4-PlantUML/master/C4.puml\na -> b\n@enduml\n'}, 'plantuml a.puml'),
    ({'docs/a.md': "```python\nos.remove('x')\nio.open('y')\n```\n"}, 'mkdocs build'),
    ({'docs/a.rst': '::\n\n    os.rename(a, b)\n'}, 'sphinx-build docs out'),
]


@pytest.mark.parametrize(("written", "command"), ACTS)
def test_what_a_document_takes_in_or_runs_counts(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) != "allow"


@pytest.mark.parametrize(("written", "command"), ORDINARY)
def test_an_ordinary_document_is_free(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) == "allow"
