"""`make demo SCENE=proxy`: an agent that nobody can change, and the proxy between it and its model.

The real `interlock proxy`, a model and an agent of this file, a person's terminal, and what the agent ran as the proof.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
POLICY = """version = 1

[tools.lookup_order]
effects = ["read"]

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[[rules]]
id = "no-deletes"
when = { tool = "delete_customer" }
verdict = "deny"
reason = "Customers are not deleted by agents."
instead = "Close the account."
"""
DELETE = {"type": "tool_use", "id": "toolu_1", "name": "delete_customer", "input": {"id": 7}}
LOOK = {"type": "tool_use", "id": "toolu_2", "name": "lookup_order", "input": {"id": 12}}
REFUND = {"type": "tool_use", "id": "toolu_3", "name": "refund", "input": {"order": 12}}
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
ANSWERS = ([DELETE, LOOK, REFUND], [REFUND], [{"type": "text", "text": "The order is refunded."}])


class Model(BaseHTTPRequestHandler):
    """Says what is in the list, whatever it is asked."""

    left: ClassVar = list(ANSWERS)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        content = Model.left.pop(0)
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content}
        more = {"stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        raw = json.dumps({**message, **more}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        return None


class Agent:
    """Asks its model, and runs every call that it gets."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}/v1/messages"
        self.messages: list[dict[str, Any]] = []
        self.ran: list[str] = []

    def turn(self, *content: dict[str, Any]) -> list[dict[str, Any]]:
        """One turn: what it was given, and what the model, as far as the agent can tell, has answered."""
        self.messages.append({"role": "user", "content": list(content)})
        names = ("delete_customer", "lookup_order", "refund")
        tools = [{"name": name, "input_schema": {"type": "object"}} for name in names]
        body = {"model": "m", "max_tokens": 100, "messages": self.messages, "tools": tools}
        headers = {"content-type": "application/json", "x-api-key": "sk-of-a-demo"}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        with DIRECT.open(request, timeout=60) as answer:
            said: list[dict[str, Any]] = json.load(answer)["content"]
        self.messages.append({"role": "assistant", "content": said})
        self.ran += [block["name"] for block in said if block["type"] == "tool_use"]
        return said

    def results(self, said: list[dict[str, Any]]) -> list[dict[str, Any]]:
        calls = [block for block in said if block["type"] == "tool_use"]
        return [{"type": "tool_result", "tool_use_id": call["id"], "content": "done"} for call in calls]


def at_a_terminal(command: list[str]) -> str:
    """What a person sees who types this in a terminal of their own."""
    done = subprocess.run([sys.executable, str(HERE / "terminal.py"), "", *command], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def main() -> int:
    out = Console(highlight=False, soft_wrap=True)

    def say(text: str, style: str = "") -> None:
        out.print(Text(text, style=style))

    def show(said: list[dict[str, Any]]) -> str:
        """Prints an answer as the agent got it; the approval that it speaks of."""
        waits = ""
        for block in said:
            if block["type"] == "tool_use":
                say(f"  call {block['name']} {json.dumps(block['input'])}", "green")
            else:
                say(f"  {block['text']}", "yellow")
                waits = waits or block["text"].partition("`ap_")[2].partition("`")[0]
        say("")
        return waits

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="interlock-demo-") as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        (home / ".config/interlock").mkdir(parents=True)
        (home / ".config/interlock/policy.toml").write_text(POLICY)
        project.mkdir()
        interlock = [sys.executable, "-m", "interlock.cli", "--home", str(home)]
        port = free_port()
        upstream = f"http://127.0.0.1:{server.server_address[1]}"
        command = [*interlock, "proxy", "--upstream", upstream, "--port", str(port), "--hold", "0"]
        proxy = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=project)
        try:
            if proxy.stderr is None or b" -> " not in proxy.stderr.readline():
                raise SystemExit("the proxy did not start")
            agent = Agent(f"http://127.0.0.1:{port}")
            say(
                "You: delete customer 7, look up order 12 and refund it. The model wants three calls. The agent gets:\n"
            )
            said = agent.turn({"type": "text", "text": "Delete customer 7, look up order 12 and refund it."})
            approval = show(said)
            at_a_terminal([*interlock, "approvals", "approve", f"ap_{approval}", "--yes"])
            say("You approve the refund in a terminal of your own. The model makes the same call again:\n")
            said = agent.turn(*agent.results(said))
            show(said)
            show(agent.turn(*agent.results(said)))
        finally:
            proxy.terminate()
            proxy.wait(30)
            server.shutdown()
        say(f"What the agent ran: {', '.join(agent.ran)}\n", "bold")
        subprocess.run([*interlock, "replay"], check=True)
        return 0 if agent.ran == ["lookup_order", "refund"] else 1


if __name__ == "__main__":
    sys.exit(main())
