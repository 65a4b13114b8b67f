"""Java that a session wrote and now runs: does it only compute and print?

Java cannot do anything to a machine but through classes of the runtime, and these have names. So the words of the text
are enough: imports of the runtime go by a list of packages that only compute, and whatever names a class or a method
that acts, loads or looks things up by name makes the text opaque. Calls into other libraries are calls into the
project's own code, as with every build; those that are known for acting are named here.
"""

from __future__ import annotations

__all__ = ["why_not_plain"]

# Packages of the runtime whose classes only compute; what lies below them counts by itself.
_COMPUTES = frozenset(
    "java.lang java.lang.annotation java.util java.util.function java.util.stream java.util.concurrent "
    "java.util.concurrent.atomic java.util.concurrent.locks java.util.regex java.util.random java.math java.text "
    "java.time java.time.format java.time.temporal java.time.chrono java.time.zone java.nio.charset java.beans".split()
)
# Of packages that also act, the classes that do not.
_HARMLESS = {
    "java.io": frozenset(
        "IOException UncheckedIOException FileNotFoundException EOFException InputStream OutputStream Reader Writer "
        "StringReader StringWriter BufferedReader BufferedInputStream InputStreamReader ByteArrayInputStream "
        "ByteArrayOutputStream CharArrayReader CharArrayWriter Serializable Closeable Flushable "
        "DataInputStream DataOutputStream StringBufferInputStream SequenceInputStream NotSerializableException".split()
    ),
    "java.nio": frozenset("ByteBuffer CharBuffer IntBuffer LongBuffer DoubleBuffer FloatBuffer ByteOrder".split()),
}
# Words that act wherever they stand, because the runtime, or a well-known library, has them without an import.
_ACTS = frozenset(
    "Runtime ProcessBuilder Process ProcessHandle ClassLoader ModuleLayer forName loadClass defineClass load "
    "loadLibrary native getMethod getMethods getDeclaredMethod getDeclaredMethods getConstructor getConstructors "
    "getDeclaredConstructor getDeclaredField getField newInstance invoke invokeExact setAccessible getClassLoader "
    "getContextClassLoader getSystemClassLoader MethodHandles Unsafe exec setSecurityManager setProperty "
    "File FileWriter FileOutputStream FileInputStream FileReader RandomAccessFile Files FileChannel Paths Path "
    "PrintWriter PrintStream Scanner ObjectInputStream readObject Socket ServerSocket DatagramSocket URL URI "
    "HttpClient HttpURLConnection URLConnection ScriptEngine ScriptEngineManager DriverManager InitialContext "
    "Preferences Robot Desktop FileUtils MoreFiles PathUtils IOUtils CommandLine DefaultExecutor OkHttpClient "
    "RestTemplate WebClient HttpClients JSch Jedis FileSystems FileSystem FileHandler Formatter ResourceBundle "
    "ServiceLoader ToolProvider JavaCompiler Instrumentation Agent Compiler ObjectOutputStream".split()
)
_RUNTIME = frozenset(("java", "javax", "jdk", "sun", "jakarta", "com.sun", "netscape"))
_QUOTES = ('"""', '"', "'")


def why_not_plain(text: str) -> str | None:
    """None if the text only computes and prints; else what about it is not known, for people."""
    if "\\u" in text:
        return "characters that are written as numbers"
    words = _words(text)
    if words is None:
        return "a text or a comment that does not end"
    for at, word in enumerate(words):
        if word in _ACTS:
            return f"`{word}`"
        if word in _RUNTIME and (at == 0 or words[at - 1] != "."):
            name = _dotted(words, at)
            if not _computes(name):
                return f"`{name}`"
        if word == "com" and words[at + 1 : at + 3] == [".", "sun"]:
            return "`com.sun`"
    return None


def _computes(name: str) -> bool:
    """`java.util.List`, `java.util.*`, `java.util.Map.Entry`: whether what it names only computes."""
    parts = name.split(".")
    size = next((at for at, part in enumerate(parts) if not part[:1].islower()), len(parts))
    package = ".".join(parts[:size])
    return package in _COMPUTES or (size < len(parts) and parts[size] in _HARMLESS.get(package, ()))


def _dotted(words: list[str], at: int) -> str:
    name = words[at]
    while words[at + 1 : at + 2] == ["."] and at + 2 < len(words):
        at += 2
        name += "." + words[at]
    return name


def _words(text: str) -> list[str] | None:
    """Names and signs, in order; texts, numbers and comments are left out. None if one of those has no end."""
    found: list[str] = []
    i, size = 0, len(text)
    while i < size:
        c = text[i]
        if c.isalpha() or c in "_$":
            j = i + 1
            while j < size and (text[j].isalnum() or text[j] in "_$"):
                j += 1
            found.append(text[i:j])
            i = j
        elif c.isdigit():
            while i < size and (text[i].isalnum() or text[i] in "._"):
                i += 1
        elif text.startswith("//", i):
            end = text.find("\n", i)
            i = size if end < 0 else end
        elif text.startswith("/*", i):
            end = text.find("*/", i + 2)
            if end < 0:
                return None
            i = end + 2
        elif c in "\"'":
            behind = _end_of_text(text, i)
            if behind is None:
                return None
            i = behind
        else:
            if not c.isspace():
                found.append(c)
            i += 1
    return found


def _end_of_text(text: str, i: int) -> int | None:
    quote = next(mark for mark in _QUOTES if text.startswith(mark, i))
    i += len(quote)
    while i < len(text):
        if text[i] == "\\":
            i += 2
        elif text.startswith(quote, i):
            return i + len(quote)
        elif text[i] == "\n" and len(quote) == 1:
            return None
        else:
            i += 1
    return None
