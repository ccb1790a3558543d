# SPDX-License-Identifier: GPL-3.0-or-later
"""Firefox without a window, told what to do over a socket (its Marionette protocol), as Chromium is in browser.py."""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

KEYS = {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
        "PageUp": "\ue00e", "PageDown": "\ue00f", "Escape": "\ue00c", "Enter": "\ue006"}
# Nothing is asked for by Firefox itself.
PREFERENCES = {
    "marionette.port": 0,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "devtools.console.stdout.content": True,  # what console.log and its like say
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}
# What tabs ask the network for, and the errors of pages: the browser's own code sees both.
WATCH = """
  const g = Services;
  g.__asked = [];
  g.__seen = {observe(channel) {
    channel.QueryInterface(Ci.nsIHttpChannel);
    if (channel.loadInfo.browsingContextID)
      g.__asked.push(channel.URI.spec);
  }};
  g.obs.addObserver(g.__seen, "http-on-modify-request");
  g.console.reset();
"""
ASKED = "return Services.__asked;"
SAID = """
  return Services.console.getMessageArray().filter(m => m instanceof Ci.nsIScriptError)
    .filter(m => m.sourceName.startsWith("file:") || /content|security/i.test(m.category)).map(m => m.message);
"""
RESOURCES = "performance.getEntriesByType('resource').map(e => e.name)"


class Firefox:
    """One empty page. `said` has what its console says, `foreign` the addresses that pages asked for."""

    @staticmethod
    def program():
        return shutil.which("firefox-esr") or shutil.which("firefox")

    def __init__(self, width=1440, height=900):
        self._folder = tempfile.TemporaryDirectory(prefix="regard-page-", ignore_cleanup_errors=True)
        with open(f"{self._folder.name}/user.js", "w", encoding="utf-8") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self._output = open(f"{self._folder.name}/output", "w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            [self.program(), "--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
            + ["--profile", self._folder.name, "about:blank"],
            env={**os.environ, "HOME": self._folder.name, "MOZ_DISABLE_CONTENT_SANDBOX": "1"},
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._n, self._buffer, self._socket, self._resources = 0, b"", None, []
        self._connect()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": False}})
        self.call("WebDriver:SetWindowRect", width=width, height=height)
        self._as_browser(WATCH)

    def _connect(self):
        place = f"{self._folder.name}/MarionetteActivePort"
        for _ in range(1200):
            if self._process.poll() is not None:
                raise RuntimeError("the browser went away")
            try:
                with open(place, encoding="ascii") as file:
                    self._socket = socket.create_connection(("127.0.0.1", int(file.read())), timeout=60)
                self._read()  # who it is
                return
            except (FileNotFoundError, ValueError, ConnectionError):
                time.sleep(0.05)
        raise RuntimeError("the browser does not listen")

    def _read(self):
        """A message: its length, a colon, and that much JSON."""
        while True:
            length, colon, rest = self._buffer.partition(b":")
            if colon and len(rest) >= int(length):
                self._buffer = rest[int(length):]
                return json.loads(rest[: int(length)])
            more = self._socket.recv(1 << 16)
            if not more:
                raise RuntimeError("the browser went away")
            self._buffer += more

    def call(self, method, **params):
        self._n += 1
        message = json.dumps([0, self._n, method, params]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        _, number, error, result = self._read()
        assert number == self._n
        if error:
            raise RuntimeError(f"{method}: {error}")
        return result

    def _as_browser(self, script):
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=[])["value"]
        finally:
            self.call("Marionette:SetContext", value="content")

    @property
    def said(self):
        self._output.seek(0)
        lines = [line for line in self._output if line.startswith("console.")]
        # Firefox itself would have liked its settings from the network.
        return self._as_browser(SAID) + [line for line in lines if "RSLoader" not in line]

    @property
    def foreign(self):
        return self._as_browser(ASKED) + self._resources + self.get(RESOURCES)

    def open(self, path):
        self._resources += self.get(RESOURCES)
        self.call("WebDriver:Navigate", url=f"file://{path}")

    def get(self, expression):
        """The value of an expression in the page."""
        return self.call("WebDriver:ExecuteScript", script=f"return ({expression});", args=[])["value"]

    def wait(self, expression):
        for _ in range(600):
            if self.get(expression):
                return
            time.sleep(0.05)
        raise AssertionError(f"never: {expression}")

    def point(self, x, y, click=False):
        steps = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0, "origin": "viewport"}]
        if click:
            steps += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self.call("WebDriver:PerformActions", actions=[mouse])

    def press(self, key):
        value = KEYS.get(key, key)
        steps = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("WebDriver:PerformActions", actions=[{"type": "key", "id": "keys", "actions": steps}])

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("WebDriver:TakeScreenshot", full=False)["value"]))

    def close(self):
        os.killpg(self._process.pid, signal.SIGKILL)  # its helpers, too, which write to the folder
        self._process.wait()
        if self._socket:
            self._socket.close()
        self._output.close()
        self._folder.cleanup()
