"""Pictures, sound and film: files with a form before them, filters that load code, addresses to stream to."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..runs.wrappers import on_url, run_code

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["exiftool", "ffmpeg", "magick", "sox"]

_FFMPEG_SWITCHES = frozenset(
    [
        "-y",
        "-n",
        "-nostdin",
        "-hide_banner",
        "-stats",
        "-nostats",
        "-vn",
        "-an",
        "-sn",
        "-dn",
        "-shortest",
        "-copyts",
        "-start_at_zero",
        "-re",
        "-accurate_seek",
        "-noautorotate",
        "-report",
        "-benchmark",
        "-ignore_unknown",
        "-version",
        "-formats",
        "-codecs",
        "-encoders",
        "-decoders",
        "-filters",
        "-protocols",
        "-h",
        "-help",
        "--help",
        "-buildconf",
        "-pix_fmts",
        "-bsfs",
        "-devices",
        "-hwaccels",
        "-L",
        "-sources",
        "-sinks",
        "-layouts",
        "-autorotate",
        "-show_format",
        "-show_streams",
        "-show_entries_all",
        "-show_packets",
        "-show_frames",
        "-show_chapters",
        "-pretty",
        "-autoexit",
        "-nodisp",
    ]
)
_FFMPEG_LOADS = (
    "ladspa",
    "lv2",
    "frei0r",
    "dnn_",
    "vmafmotion",
    "movie=",
    "amovie=",
    "sendcmd=f",
    "zmq",
    "subfile",
    "concatf",
)


def ffmpeg(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Every option takes a value but a few; `-i` is read, a word that stands alone is written."""
    rest = list(args[1:])
    role = "read" if row.name != "ffmpeg" else "write"
    before = len(shell.found.actions) + len(shell.found.again)
    while rest:
        word = rest.pop(0)
        if word.text == "-" or not word.text.startswith("-"):
            if word.text not in ("-", "/dev/null", "pipe:1", "pipe:"):
                _medium(word, role, span, shell)
            continue
        if word.text in _FFMPEG_SWITCHES or not rest:
            continue
        value = rest.pop(0)
        option = word.text.partition(":")[0]
        if option == "-i":
            _medium(value, "read", span, shell)
        elif option in ("-filter_script", "-filter_complex_script", "-attach", "-vpre", "-fpre", "-/filter_complex"):
            on_path("read", value, shell)
            shell.unclear("a filter in a file is not read", span)
        elif option in ("-passlogfile", "-vstats_file", "-progress", "-dump_attachment", "-sdp_file"):
            _medium(value, "write", span, shell)
        elif value.unknown and option not in ("-ss", "-t", "-to", "-r", "-s", "-b", "-crf", "-metadata", "-preset"):
            shell.unclear(f"one of the options depends on {value.why}", span)
        elif any(mark in value.text for mark in _FFMPEG_LOADS):
            shell.unclear("a filter that loads code or files", span)
    if len(shell.found.actions) + len(shell.found.again) == before:
        emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
    return None


def sox(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A file that is called `|CMD` is what the command prints, or reads."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    piped = [arg for arg in parsed.operands if arg.text[:1] == "|"]
    for arg in piped:
        run_code("code.sh", Arg(arg.text[1:], arg.span, arg.glob, arg.origin), shell, span)
    parsed.operands = [arg for arg in parsed.operands if arg not in piped]
    effect = next((at for at, arg in enumerate(parsed.operands) if at > 1 and arg.text in _EFFECTS), None)
    parsed.operands = parsed.operands[:effect]  # behind the file that is written
    return act_on(row, parsed, args, span, shell)


_EFFECTS = frozenset(
    "allpass band bandpass bandreject bass bend biquad chorus channels compand contrast dcshift deemph delay dither "
    "divide downsample earwax echo echos equalizer fade fir firfit flanger gain highpass hilbert loudness lowpass "
    "mcompand norm noiseprof noisered oops overdrive pad phaser pitch rate remix repeat reverb reverse riaa silence "
    "sinc spectrogram speed splice stat stats stretch swap synth tempo treble tremolo trim upsample vad vol".split()
)


def _medium(word: Arg, role: str, span: tuple[int, int], shell: Shell) -> None:
    """A file, or an address that is fetched or streamed to."""
    scheme, colon, _ = word.text.partition("://")
    if colon and scheme not in ("file", "pipe"):
        on_url(word, shell, word.span, [])
        if role == "write":
            emit(shell, span, name="net:send", effects=(Effect.NETWORK,), tags=("external", "sends"))
    elif word.text.startswith(("concat:", "subfile", "crypto:", "data:", "tee:", "cache:")) or word.text.startswith(
        "["
    ):
        shell.unclear("a medium that names others is not read", span)
    elif not word.text.startswith(("anullsrc", "testsrc", "color=", "sine=", "pipe:")):
        on_path(role, Arg(word.text.removeprefix("file:"), word.span, word.glob, word.origin), shell)


def magick(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Files may have a form before them (`png:a`); some forms are scripts, addresses or commands."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    files: list[Arg] = []
    for arg in parsed.operands:
        form, colon, rest = arg.text.partition(":")
        if "://" in arg.text:
            on_url(arg, shell, arg.span, [])
        elif arg.text.startswith(("|", "@")) or (
            form.lower() in ("msl", "mvg", "ephemeral", "text", "label", "caption", "url") and "@" in rest
        ):
            shell.unclear("a picture that is a script or a command", arg.span)
        elif form.lower() in ("msl", "mvg", "ephemeral"):
            shell.unclear("a picture that is a script", arg.span)
        elif arg.text.startswith(
            ("+", "(", ")", "xc:", "canvas:", "gradient:", "label:", "caption:", "plasma:", "logo:", "rose:")
        ):
            continue
        elif arg.text not in ("-", "null:", "info:", "info:-", "x:") and rest != "-":
            if (
                arg is parsed.operands[0]
                and row.name == "magick"
                and arg.text in ("identify", "convert", "compare", "mogrify")
            ):
                continue
            text = rest if colon and form.isalnum() and rest else arg.text
            files.append(Arg(text.partition("[")[0], arg.span, arg.glob, arg.origin, arg.quoted))
    parsed.operands = files
    return act_on(row, parsed, args, span, shell)


def exiftool(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`-TAG=VALUE` writes into the files; conditions and user-made tags are Perl."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    edits = any("=" in arg.text for arg in parsed.strange) or "inplace" in parsed.switches
    texts = [value.text for option, value in parsed.values if option.name in ("-if", "-p")] + [
        arg.text for arg in parsed.strange
    ]
    if any("${" in text and ";" in text for text in texts) or "-if" in parsed.switches:
        shell.unclear("an expression in Perl is not read", span)
    for arg in parsed.operands:
        on_path("edit" if edits else "read", arg, shell)
    parsed.operands = []
    return act_on(row, parsed, args, span, shell)
