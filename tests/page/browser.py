# SPDX-License-Identifier: GPL-3.0-or-later
"""A browser without a window, told what to do over a pipe (the DevTools protocol)."""

import collections
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time


class Browser:
    """Chromium with one empty page. `said` has what its console says, `foreign` the addresses that pages asked for."""

    @staticmethod
    def program():
        return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

    def __init__(self, width=1440, height=900):
        self._folder = tempfile.TemporaryDirectory(prefix="regard-page-", ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # The browser reads from 3 and writes to 4.
        command = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", command, "bash", str(to_browser), str(from_browser), self.program(), "--headless=new"]
            + ["--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--disable-extensions"]
            + [f"--user-data-dir={self._folder.name}", f"--window-size={width},{height}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._n, self._buffer, self._session = 0, b"", None
        self.said, self._asked, self._opened = [], [], []
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        attached = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def _read(self):
        while b"\0" not in self._buffer:
            more = os.read(self._in, 1 << 16)
            if not more:
                raise RuntimeError("the browser went away")
            self._buffer += more
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.said.append(json.dumps(params))
        elif method == "Network.requestWillBeSent":
            self._asked.append(params["request"]["url"])

    def call(self, method, **params):
        self._n += 1
        message = {"id": self._n, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._n:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    @property
    def foreign(self):
        return list((collections.Counter(self._asked) - collections.Counter(self._opened)).elements())

    def open(self, path):
        self._opened.append(f"file://{path}")
        self.call("Page.navigate", url=f"file://{path}")
        self.wait("document.readyState === 'complete'")

    def get(self, expression):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression):
        for _ in range(600):
            if self.get(expression):
                return
            time.sleep(0.05)
        raise AssertionError(f"never: {expression}")

    def point(self, x, y, click=False):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased") if click else ():
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def picture(self, path):
        import base64

        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        os.killpg(self._process.pid, signal.SIGKILL)  # its helpers, too, which write to the folder
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()
