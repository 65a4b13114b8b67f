"""Java that only computes and prints is told from Java that may act; whatever is not sure is not plain."""

from __future__ import annotations

import pytest

from interlock.reading.runs.java import why_not_plain

PLAIN = [
    "",
    'class A { public static void main(String[] a) { System.out.println("Runtime.exec"); } } // File',
    "import java.util.*;\nimport java.util.stream.Collectors;\nclass A { Map.Entry<String, Integer> e; }",
    "import java.io.IOException;\nimport java.io.StringReader;\nclass A { void f() throws IOException {} }",
    "/* new File(x).delete() */ class A { char q = '\"'; double d = 1.5e3; int h = 0xFile; }",
    'class A { String s = """\n  new java.io.File("x")\n  """; }',
    "import com.example.Mapper;\nclass A { java.util.List<java.math.BigDecimal> l = new Mapper().read(); }",
    "import static java.lang.Math.max;\nclass A { int m = max(1, 2); }",
]
NOT_PLAIN = {
    'class A { void f() throws Exception { Runtime.getRuntime().exec("x"); } }': "`Runtime`",
    "class A { ProcessBuilder b; }": "`ProcessBuilder`",
    'class A { boolean b = new java.io.File("x").delete(); }': "`java.io.File`",
    "import java.nio.file.*;\nclass A {}": "`java.nio.file.*`",
    "import java.io.*;\nclass A {}": "`java.io.*`",
    "import java.net.http.HttpClient;\nclass A {}": "`java.net.http.HttpClient`",
    "import java.util.zip.ZipFile;\nclass A {}": "`java.util.zip.ZipFile`",
    "import sun.misc.Unsafe;\nclass A {}": "`sun.misc.Unsafe`",
    "import com.sun.tools.attach.VirtualMachine;\nclass A {}": "`com.sun`",
    'class A { Object o = Class.forName("java.lang.Run" + "time"); }': "`forName`",
    "class A { void f() throws Exception { getClass().getMethod(n).invoke(null); } }": "`getMethod`",
    "class A { native void f(); }": "`native`",
    "class A { R\\u0075ntime r; }": "characters that are written as numbers",
    'class A { String s = "x; }': "a text or a comment that does not end",
    "class A { /* x }": "a text or a comment that does not end",
    "import org.apache.commons.io.FileUtils;\nclass A { void f() { FileUtils.deleteQuietly(null); } }": "`FileUtils`",
    "class A { java . io . File f; }": "`java.io.File`",
    "class A { java/* */.io.File f; }": "`java.io.File`",
}


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_computes_is_plain(text: str) -> None:
    assert why_not_plain(text) is None


@pytest.mark.parametrize(("text", "why"), NOT_PLAIN.items())
def test_what_may_act_is_not_plain(text: str, why: str) -> None:
    assert why_not_plain(text) == why
