"""A JupyterLab of our own for tests: its own settings, loopback only, ended by its own process group."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextlib.contextmanager
def jupyterlab(folder, *, seconds=90):
    """Start JupyterLab on ``folder`` (which gets ``home/`` and ``notebooks/``); gives its address."""
    home, notebooks = Path(folder) / "home", Path(folder) / "notebooks"
    notebooks.mkdir()
    quiet = home / "settings" / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text(
        json.dumps({"checkForUpdates": False, "fetchNews": "false", "doNotDisturbMode": True})
    )
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    environment = os.environ | {name: str(home / place) for name, place in places.items()}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
        "--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=",
        "--ServerApp.password=", f"--ServerApp.root_dir={notebooks}", "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    with open(home / "log.txt", "wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(address, server, home / "log.txt", seconds)
        yield address
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait(address, server, log, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab ended at once:\n{log.read_text()[-2000:]}")
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/api/status", timeout=2).read()
            return
        time.sleep(0.2)
    raise TimeoutError(f"JupyterLab did not answer within {seconds} s:\n{log.read_text()[-2000:]}")
