"""One server as the judge sees it: requests, and watches that are read in the background.

Knows kubeconfigs of the two shapes that our servers write (client certificate or token, as data or as files) and
nothing of what requests mean.
"""

import base64
import http.client
import json
import re
import ssl
import tempfile
import threading
import time
import urllib.parse

COMPARED_HEADERS = ("Content-Type", "Warning", "Retry-After")


class Answer:
    def __init__(self, code, headers, body):
        self.code, self.headers, self.body = code, headers, body


class Server:
    def __init__(self, kubeconfig):
        words = {}
        with open(kubeconfig, encoding="utf-8") as file:
            for line in file:
                found = re.match(r"\s*-?\s*([a-z-]+):\s*(\S+)\s*$", line)
                if found:
                    words.setdefault(found.group(1), found.group(2).strip("\"'"))
        self.url = urllib.parse.urlsplit(words["server"])
        self.token = words.get("token")
        if "tokenFile" in words:
            with open(words["tokenFile"], encoding="utf-8") as file:
                self.token = file.read().strip()
        self.anonymous = _context(words)
        self.trusted = _context(words)
        if "client-certificate-data" in words or "client-certificate" in words:
            _load_client(self.trusted, words)
        self.threads = threading.local()

    def connect(self, identity, timeout):
        """A new connection; only the admin shows a client certificate."""
        context = self.trusted if identity == "admin" else self.anonymous
        return http.client.HTTPSConnection(self.url.hostname, self.url.port, context=context, timeout=timeout)

    def headers(self, identity, extra):
        headers = {"Accept": "application/json", "User-Agent": "judge/1.0"}
        token = self.token if identity == "admin" else None if identity == "anonymous" else identity
        if token:
            headers["Authorization"] = "Bearer " + token
        headers.update(extra)
        return headers

    def ask(self, method, path, body=None, extra=None, identity="admin", timeout=40):
        """One request; a connection is kept per thread and asker, and opened again once if the server closed it."""
        kept = self.threads.__dict__.setdefault("kept", {})
        key = "admin" if identity == "admin" else "others"
        for attempt in (1, 2):
            fresh = key not in kept
            if fresh:
                kept[key] = self.connect(identity, timeout)
            connection = kept[key]
            try:
                connection.request(method, path, body=body, headers=self.headers(identity, extra or {}))
                response = connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                del kept[key]
                if fresh or attempt == 2:
                    raise
                continue
            if response.will_close:
                connection.close()
                del kept[key]
            return Answer(response.status, compared(response), parsed(text))
        raise AssertionError("unreachable")

    def watch(self, path, extra=None, identity="admin"):
        return Watch(self, path, extra or {}, identity)


class Watch:
    """An open watch; `events` grows behind the lock until `ended`."""

    def __init__(self, server, path, extra, identity):
        self.connection = server.connect(identity, timeout=60)
        self.connection.request("GET", path, headers=server.headers(identity, extra))
        response = self.connection.getresponse()
        self.changed = threading.Condition()
        self.events, self.taken, self.ended = [], 0, False
        self.answer = Answer(response.status, compared(response), None)
        if response.status != 200:
            self.answer.body = parsed(response.read())
            self.ended = True
            return
        threading.Thread(target=self._read, args=(response,), daemon=True).start()

    def _read(self, response):
        try:
            while line := response.readline():
                if not line.strip():
                    continue
                event = json.loads(line)
                if is_periodic_bookmark(event):
                    continue
                with self.changed:
                    self.events.append(event)
                    self.changed.notify_all()
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def take(self, count, patience):
        """The next `count` events, or (`None`) those until the stream ends; fewer when patience ends first."""
        until = time.monotonic() + patience
        with self.changed:
            def enough():
                return self.ended or (count is not None and len(self.events) - self.taken >= count)
            while not enough() and time.monotonic() < until:
                self.changed.wait(until - time.monotonic())
            end = len(self.events) if count is None else min(len(self.events), self.taken + count)
            found = self.events[self.taken : end]
            self.taken = end
            return found

    def close(self):
        try:
            if self.connection.sock:
                self.connection.sock.shutdown(2)
        except OSError:
            pass
        self.connection.close()


def is_periodic_bookmark(event):
    """A server sends these whenever it likes, kube-apiserver sometimes within a second; only the one that ends a list is due."""
    if event.get("type") != "BOOKMARK":
        return False
    annotations = event["object"].get("metadata", {}).get("annotations", {})
    return "k8s.io/initial-events-end" not in annotations


def compared(response):
    found = {}
    for name in COMPARED_HEADERS:
        values = response.headers.get_all(name)
        if values:
            found[name] = values if len(values) > 1 else values[0]
    return found


def parsed(text):
    """JSON; a sequence of JSON documents as a list of lines; else the text."""
    text = text.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return {"stream": [json.loads(line) for line in text.splitlines() if line.strip()]} if text.startswith("{") else text
    except ValueError:
        return text


def _bytes_of(words, name):
    if name + "-data" in words:
        return base64.b64decode(words[name + "-data"])
    with open(words[name], "rb") as file:
        return file.read()


def _context(words):
    context = ssl.create_default_context(cadata=_bytes_of(words, "certificate-authority").decode())
    context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
    return context


def _load_client(context, words):
    with tempfile.NamedTemporaryFile() as pem:
        pem.write(_bytes_of(words, "client-certificate") + b"\n" + _bytes_of(words, "client-key"))
        pem.flush()
        context.load_cert_chain(pem.name)
