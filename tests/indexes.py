"""Ways to say where npm and pip take a package from, and the host that they ask for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from interlock.model.call import Call
from interlock.model.environment import says_where
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

USUAL = ("registry.npmjs.org", "pypi.org")
_ELSE = "http://other.example/"
# What is asked: the usual registry, or another. Files of the project and of the person are below.
NPM = {
    "npm install widget-a": "usual",
    "npm install widget-a --registry https://registry.npmjs.org": "usual",
    "npm install widget-a --@acme:registry={}": "usual",
    "npm install widget-a && npm config get registry": "usual",
    "npm install @free/widget": "usual",
    "npm install widget-a --registry {}": "other",
    "npm install widget-a --registry={}": "other",
    "npm --registry={} install widget-a": "other",
    "npm i widget-a --reg={}": "other",
    "npm_config_registry={} npm install widget-a": "other",
    "NPM_CONFIG_REGISTRY={} npm install widget-a": "other",
    "export npm_config_registry={}; npm install widget-a": "other",
    "npm install @acme/widget --@acme:registry={}": "other",
    "env npm_config_@acme:registry={} npm install @acme/widget": "other",
    "npm install widget-a --userconfig other.npmrc": "other",
    "npm install widget-a --userconfig=other.npmrc": "other",
    "npm_config_userconfig=other.npmrc npm install widget-a": "other",
    "npm install widget-a --globalconfig=other.npmrc": "other",
    "npm config set registry {} && npm install widget-a": "other",
    "npm config set @acme:registry={} --location=project && npm install @acme/widget": "other",
    "npm set registry {}; npm install widget-a": "other",
    "cd scoped && npm install @acme/widget": "other",
    "cd led && npm install widget-a": "other",
    "npm --prefix led install widget-a": "other",
    "cd expanded && WHERE={} npm install widget-a": "other",
}
PIP = {
    "pip install widget-a": "usual",
    "pip install widget-a -i https://pypi.org/simple": "usual",
    "pip install -r plain.txt": "usual",
    "pip install widget-a -i {}": "other",
    "pip install widget-a -i{}": "other",
    "pip install widget-a --index-url={}": "other",
    "pip install widget-a --index-u {}": "other",
    "pip install widget-a --pypi-url {}": "other",
    "pip install widget-a --extra-index-url {}": "other",
    "pip install widget-a -f {}": "other",
    "pip install widget-a --no-index --find-links={}": "other",
    "PIP_INDEX_URL={} pip install widget-a": "other",
    "PIP_EXTRA_INDEX_URL={} pip install widget-a": "other",
    "PIP_PYPI_URL={} pip install widget-a": "other",
    "PIP_FIND_LINKS={} pip install widget-a": "other",
    "PIP_CONFIG_FILE=other.conf pip install widget-a": "other",
    "PIP_REQUIREMENT=led.txt pip install widget-a": "other",
    "PIP_CONSTRAINT=led.txt pip install widget-a": "other",
    "pip install -r led.txt": "other",
    "pip install -r far.txt": "other",
    "pip install -r linked.txt": "other",
    "pip install -rled.txt": "other",
    "pip install --requirement=led.txt": "other",
    "pip install widget-a -c led.txt": "other",
    "pip install -r nested.txt": "other",
    "pip config set global.index-url {} && pip install widget-a": "other",
}
_FILES = {
    "package.json": '{"name": "app", "version": "1.0.0"}',
    "other.npmrc": f"registry={_ELSE}\n",
    "scoped/.npmrc": f"@acme:registry={_ELSE}\n",
    "scoped/package.json": "{}",
    "led/.npmrc": f"registry={_ELSE}\n",
    "led/package.json": "{}",
    "expanded/.npmrc": "registry=${WHERE}\n",
    "expanded/package.json": "{}",
    "other.conf": f"[global]\nindex-url = {_ELSE}\n",
    "plain.txt": "widget-a\n",
    "led.txt": f"-i {_ELSE}\nwidget-a\n",
    "far.txt": f"--extra-index-url={_ELSE}\nwidget-a\n",
    "linked.txt": f"--find-links {_ELSE}\nwidget-a\n",
    "nested.txt": "-r led.txt\n",
}


class Proxy(ThreadingHTTPServer):
    """Writes down the hosts that it is asked for, and lets nobody through."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refuse)
        self.hosts: set[str] = set()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()


class _Refuse(BaseHTTPRequestHandler):
    def do_CONNECT(self) -> None:
        assert isinstance(self.server, Proxy)
        self.server.hosts.add(self.path.partition("://")[2].partition("/")[0] or self.path.partition(":")[0])
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_CONNECT

    def log_message(self, format: str, *args: object) -> None:
        pass


def laid(at: Path) -> Path:
    project = at / "project"
    for name, text in _FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    (at / "bin").mkdir(parents=True, exist_ok=True)
    (at / "bin/pip").write_text(f'#!/bin/sh\nexec {sys.base_prefix}/bin/python3 -m pip "$@"\n')
    (at / "bin/pip").chmod(0o755)
    done = "git init -q && git add . && git -c user.name=a -c user.email=a@b.example commit -qm one"
    subprocess.run(["bash", "-ec", done], cwd=project, check=True, capture_output=True)
    return project


def asked(project: Path, command: str, proxy: Proxy) -> str:
    """`usual`, or `other` where another host is asked as well."""
    proxy.hosts.clear()
    address = f"http://127.0.0.1:{proxy.server_address[1]}"
    env = {
        "PATH": f"{project.parent}/bin:{os.environ['PATH']}", "HOME": str(project.parent), "https_proxy": address,
        "http_proxy": address, "npm_config_fetch_retries": "0", "npm_config_audit": "false", "PIP_RETRIES": "0",
        "npm_config_update_notifier": "false", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_TRUSTED_HOST": "other.example",
    }  # fmt: skip
    subprocess.run(["bash", "-c", command.format(_ELSE)], cwd=project, env=env, capture_output=True, check=False)
    return "other" if "other.example" in proxy.hosts else "usual" if proxy.hosts.intersection(USUAL) else "none"


def is_elsewhere(project: Path, command: str) -> bool:
    """Whether we say that it takes the package from an unusual place, or that this cannot be told."""
    call = Call(tool="Bash", input=FrozenMap({"command": command.format(_ELSE)}), cwd=str(project))
    facts = Facts(root=str(project), home=str(project.parent), variables=says_where({}))
    reading = read_with_facts(call, facts)
    return bool(reading.opaque) or any("elsewhere" in action.tags for action in reading.actions)


__all__ = ["NPM", "PIP", "Proxy", "asked", "is_elsewhere", "laid"]
