"""Programs that make documents, pictures, sound and film."""

from __future__ import annotations

from .kinds import worded
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_ESCAPES = {"runs": Adds(opaque="lets the document run commands")}
_TEX = (
    "-shell-escape|--shell-escape|-enable-write18|--enable-write18!runs -shell-restricted|--shell-restricted "
    "-output-directory|--output-directory:write -jobname|--jobname:text -interaction|--interaction:text "
    "-fmt|--fmt:read "
    "-output-format|--output-format:text -progname|--progname:text -include-directory:read --lua:runs "
    "-aux-directory:write "
    "-synctex|--synctex:text -halt-on-error|--halt-on-error -file-line-error -draftmode -recorder -ini "
    "-version|--version"
)
_MAGICK = (
    "-resize:text -crop:text -quality:text -rotate:text -geometry:text -density:text -background:text -gravity:text "
    "-extent:text "
    "-fill:text -pointsize:text -annotate:text -font:text -format:text -depth:text -colorspace:text -type:text "
    "-threshold:text "
    "-blur:text -sharpen:text -border:text -bordercolor:text -delay:text -loop:text -page:text -size:text "
    "-thumbnail:text -define:text "
    "-compress:text -fuzz:text -transparent:text -alpha:text -channel:text -modulate:text -scale:text -sample:text "
    "-interlace:text "
    "-sampling-factor:text -colors:text -limit:text -metric:text -path:write -tile:text -label:text -draw:text "
    "-profile:read -script:runs "
    "-composite -strip -trim -append +append -flip -flop -negate -normalize -auto-orient -monochrome -layers:text "
    "-write:write -set:text "
    "-distort:text -level:text -contrast -verbose -ping -dither:text -virtual-pixel:text -mask:text -compose:text "
    "-dissolve:text -shave:text"
)

_SITE = "-d|--dest-dir|--destination:write -s|--source:runs --config:runs -p|--port:text -c|--contentDir:text"

PROGRAMS = (
    P("pandoc", "read*", options="-o|--output:write -f|-r|--from|--read:loads -t|-w|--to|--write:loads --template:read "
        "-M|--metadata:text "
        "-V|--variable:text -c|--css:text -H:read -A:read -B:read --reference-doc:read --bibliography:read --csl:read "
        "--data-dir:runs "
        "-d|--defaults:runs --metadata-file:read --pdf-engine:starts!runs --pdf-engine-opt:text -F|--filter:runs!runs "
        "-L|--lua-filter:runs!runs --resource-path:read --extract-media:write --log:write --highlight-style:text "
        "--toc-depth:number "
        "--shift-heading-level-by:number --columns:number --wrap:text --request-header:text -D:text "
        "--syntax-definition:read -s -N",
        does="", flags={"runs": Adds(effects=effects("execute"))}, example="pandoc a.md -o a.html"),
    P("pdflatex", "read*", also="latex tex pdftex xelatex lualatex luatex xetex platex uplatex context etex luahbtex",
        options=_TEX,
        action="exec:tex", does="write", flags=_ESCAPES, example="pdflatex -interaction=nonstopmode a.tex"),
    P("latexmk", "read*", options=f"{_TEX} -e:code.perl -r:runs -outdir|-output-directory:write -auxdir:write "
        "-pdflatex|-latex|-xelatex:command "
        "-pdf -pvc -c -C -f -g -cd -xelatex -lualatex -usepretex:text", action="exec:tex", does="write execute",
        tags="unread", flags=_ESCAPES,
        also="arara tectonic texi2pdf texi2dvi rubber"),
    P("bibtex", "read*", also="biber makeindex bibtex8 makeglossaries xindy", options="-o:write -s:read -t:write "
        "--output-file:write",
        action="exec:bibtex", does="write"),
    P("dvips", "read*", also="dvipdfmx xdvipdfmx dvipng dvisvgm pdfcrop",
        options="-o:write -t:text -D:text -p:text -l:text "
        "-R?:text -T:text", action="exec:dvips", does="write execute",
        flags={"-R": Adds(opaque="may let the document run commands")}),
    P("kpsewhich", "text*", does="read", also="texdoc"),
    P("tlmgr", words=2, subs=(P("install", "package*", also="update", action="pkg:install",
        does="network write execute", tags="install"),
        P("info", also="search list show candidates check dump-tlpdb bug version", action="tlmgr:info", does="read"),
        P("remove", "package*", action="pkg:remove", does="write"), P("conf", also="option paper pdftex xdvi platform "
            "path generate postaction pinning",
            action="tlmgr:configure", does="write"), P("backup", "package*", also="restore recreate-tlpdb",
                action="tlmgr:backup", does="write"),
        P("repository", also="key", action="pkg:source", does="write", tags="install"), P("gui", also="shell",
            special="opaque", does="execute"))),
    # the second of two names is written
    P("ps2pdf", "read write?", also="ps2pdf12 ps2pdf13 ps2pdf14 ps2ps pdf2ps eps2eps ps2epsi dvipdf",
      does="write", options="-q -d:text -s:text -r:text", example="ps2pdf a.ps a.pdf"),
    P("rst2html", "read? write?", also="rst2html5 rst2latex rst2man rst2odt rst2xml rst2s5 rst2pseudoxml rst2html.py",
      does="read", options="--template:read --stylesheet:read --stylesheet-path:read --output:write "
      "--record-dependencies:write --warnings:write --config:read -o:write --title:text --language|-l:text "
      "--input-encoding|-i:text --syntax-highlight:text --link-stylesheet --embed-stylesheet -q|--quiet -v|--verbose "
      "--no-toc-backlinks --strict --halt:text --report|-r:text", example="rst2html a.rst a.html"),
    P("asciidoctor", "read*", also="asciidoc asciidoctor-pdf a2x txt2man ronn groff-html",
        options="-o|--out-file:write -D|"
        "--destination-dir:write -a:text -b:text -d:text -r|--require:runs!runs -I:runs -T:runs -B:read -S:text",
        does="write", action="exec:asciidoctor",
        flags={"runs": Adds(effects=effects("execute"), opaque="loads code into the program")}),
    P("help2man", "starts", options="-o|--output:write -i|--include|-I|--opt-include:read -n|--name:text "
        "-s|--section:text -m|--manual:text -S|--source:text -L|--locale:text -N|--no-info -l|--libtool "
        "--no-discard-stderr --version-string:text -h|--help-option:text -v|--version-option:text",
        does="write execute", action="exec:help2man", example="help2man -o a.1 python3"),
    P("markdown", "read*", also="cmark md2html multimarkdown glow mdcat mdformat mdbook-text",
        options="-o|--output:write -w:number -s:text -p",
        does="read"),
    worded(P("mdbook", "list*", also="hugo jekyll zola eleventy hexo vitepress antora", options=_SITE,
        action="exec:project", does="execute write", tags="unread"),
        "build check dev generate g init list new serve server s test watch",
        P("clean", "list*", options=_SITE.replace(":write", ":delete"), action="exec:project", does="execute write",
            tags="unread"),
        P("deploy", "text*", also="d", options=_SITE, action="pages:deploy", does="network execute",
            tags="external sends", risk="medium")),
    P("ffmpeg", special="ffmpeg", does="write", example="ffmpeg -i a.mp4 b.webm"),
    P("ffprobe", special="ffmpeg", also="mediainfo exifprobe", does="read", example="ffprobe -v error a.mp4"),
    P("convert", "read* write", options=_MAGICK, action="exec:magick", does="write", special="magick",
        example="convert a.png -resize 50% b.png"),
    P("magick", "read* write", options=_MAGICK, action="exec:magick", does="write", special="magick",
        also="montage composite gm"),
    P("mogrify", "edit*", options=_MAGICK, action="exec:magick", does="write", special="magick"),
    P("identify", "read*", options=_MAGICK, special="magick", also="compare", does="read"),
    P("sox", "read* write", special="sox", also="lame oggenc flac opusenc",
        options="-r:text -c:text -b:text -e:text -t:text -V:text "
        "-q:text -o:write", does="write"),
    P("dot", "read*", also="neato fdp sfdp circo twopi", options="-T:text -o:write -K:text -G:text -N:text -E:text "
        "-l:read -n:text -s:text -O",
        action="exec:dot", does="write", example="dot -Tpng a.dot -o a.png"),
    P("plantuml", "read*", also="mmdc d2 mermaid", options="-o|--output:write -i|--input:read -t:text -p:read "
        "-c|-C|--configFile:read", action="exec:plantuml",
        does="write"),
    P("gnuplot", special="opaque", does="execute", also="octave octave-cli maxima gp sage matlab"),
    P("rsvg-convert", "read*", also="cairosvg svgo optipng pngquant jpegoptim jpegtran cwebp dwebp gifsicle pngcrush "
        "oxipng avifenc "
        "img2pdf svg2png", options="-o|--output:write -w:text -h:text -f:text -q:text -d:write --ext:text -s:text "
        "-i:text", action="exec:images", does="write"),
    P("exiftool", "checked*", options="-if:text -config:runs!runs -tagsfromfile:read -o:write -w|-W:write -csv:read "
        "-json:read -d:text -p:read "
        "-overwrite_original!inplace -all!inplace -r -n -s -G -a -u -b -T -fast", special="exiftool", does="read",
        flags={"runs": Adds(opaque="loads code into the program")}),
    P("qpdf", "read* write", also="pdftk pdfunite pdfseparate cpdf", options="--password|--password-file:text "
        "-f:number -l:number -o:write "
        "--job-json-file:read -chunk:text", action="exec:pdf", does="write"),
    P("mutool", words=2, subs=(*(P(name, "read*", action=f"mutool:{name}", does="write", options="-o:write -F:text "
        "-p:text -r:text -w:text -h:text")
        for name in ("convert", "draw", "merge", "extract", "clean", "poster", "trace")), P("info", "read*",
            also="show pages audit",
        action="mutool:info", does="read"), P("run", special="opaque", does="execute"))),
    P("pdftotext", "read write?", also="pdftohtml pdftocairo pdftoppm pdfimages ps2ascii djvutxt antiword",
        options="-f:number -l:number -r:text -x:text -y:text "
        "-W:text -H:text -enc:text -opw:text -upw:text -scale-to:text -layout -raw -png -jpeg -q", does="write"),
    P("pdfinfo", "read", also="pdffonts pdfdetach catdoc docx2txt epubcheck", options="-f:number -l:number -opw:text "
        "-upw:text", does="read"),
    P("gs", special="opaque", does="execute", also="ghostscript"),
    P("tesseract", "read write? text*", options="-l:text --psm:number --oem:number --dpi:number -c:text "
        "--tessdata-dir:read", does="write"),
)  # fmt: skip
