"""Headless Chromium, driven through its debugging pipe: no driver program and no package needed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find() -> str | None:
    wanted = os.environ.get("CHROMIUM")
    return wanted or next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. Its console errors and exceptions are collected in `errors`."""

    def __init__(self, program: str):
        self.errors: list[str] = []
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        arguments = [
            program,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-extensions",
            "--remote-debugging-pipe",
            f"--user-data-dir={self._profile.name}",
            "about:blank",
        ]
        # The pipe's ends must be 3 and 4 in the browser.
        shell = 'exec "$@" 3<&"$IN" 4>&"$OUT"'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *arguments],
            pass_fds=(to_browser, from_browser),
            env={**os.environ, "IN": str(to_browser), "OUT": str(from_browser)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._next, self._buffer, self._events = 0, b"", []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._write)  # the browser leaves when its pipe is closed
        self._process.wait(timeout=30)
        os.close(self._read)
        self._profile.cleanup()

    def call(self, method: str, **parameters) -> dict:
        return self._call(method, self._session, **parameters)

    def _call(self, method: str, session: str | None = None, **parameters) -> dict:
        self._next += 1
        number = self._next
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _receive(self) -> dict:
        while b"\0" not in self._buffer:
            piece = os.read(self._read, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has gone")
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict) -> None:
        self._events.append(event.get("method"))
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            self.errors.append(str([one.get("value") for one in parameters["args"]]))
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])

    def open(
        self, path, width: int = 1280, height: int = 900, dark: bool = False, at: str = ""
    ) -> None:
        """The page, at the element `at`."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = "dark" if dark else "light"
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media="", features=features)
        # Chrome does not load an address again that differs only in its element.
        for address in ("about:blank", f"file://{path}#{at}"):
            self._events.clear()
            self.call("Page.navigate", url=address)
            while "Page.loadEventFired" not in self._events:
                self._note(self._receive())

    def run(self, script: str):
        """The value of an expression in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def click(self, script: str) -> None:
        """A real click into the middle of the element that the expression gives."""
        x, y = self.run(
            f"(async () => {{ const e = {script};"
            " e.scrollIntoView({block: 'center', behavior: 'instant'});"
            # The position is final when the scroll has been drawn.
            " for (const _ of [1, 2]) await new Promise(requestAnimationFrame);"
            " const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button="left",
                clickCount=0 if kind == "mouseMoved" else 1,
            )

    def key(self, name: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name)

    def screenshot(self, path, clip: dict | None = None) -> None:
        """What is in view, or a part of the page."""
        part = {"clip": clip, "captureBeyondViewport": True} if clip else {}
        answer = self.call("Page.captureScreenshot", **part)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
