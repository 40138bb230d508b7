"""A row carried out on one server: its transcript, the list of what was asked and answered.

An entry is {"step": text, "code": …, "headers": …, "body": …, "show": which part of it} or {"step": text, "events":
[…]}. A row whose stage could not be set (`given` refused, UNTIL without success) ends there with {"step": …, "trouble": …}: it fails whatever the
other server does.
"""

import json
import time

import table

PATIENCE = 30  # seconds for an UNTIL or an EXPECT
STRAGGLERS = 0.25  # seconds in which an event too many shows up


class Trouble(Exception):
    pass


class Play:
    """One row on one server."""

    def __init__(self, server, row, namespace):
        self.server, self.row = server, row
        self.words = dict(row.definitions, ns=namespace)
        self.namespace = namespace
        self.asker = "admin"
        self.extra = {}
        self.answer = None
        self.watches = {}
        self.entries = []

    def run(self):
        line = ""
        try:
            self.furnish()
            for _, line in self.row.lines:
                self.step(line)
            self.finish()
        except Trouble as trouble:
            self.entries.append({"step": short(line), "trouble": str(trouble)})
        except OSError as error:
            self.entries.append({"step": short(line), "trouble": f"the server hung up or is not there: {error}"})
        finally:
            for watch in self.watches.values():
                watch.close()
        return self.entries

    def furnish(self):
        """The row's own namespace; pods need its ServiceAccount."""
        body = json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})
        answer = self.server.ask("POST", "/api/v1/namespaces", body, {"Content-Type": "application/json"})
        if answer.code not in (201, 409):
            raise Trouble(f"the row's namespace was refused: {answer.code} {answer.body}")
        self.until(f"/api/v1/namespaces/{self.namespace}/serviceaccounts/default code=200")

    def step(self, line):
        given = line.startswith("given ")
        # A definition may hold a whole step: what comes first is looked up first.
        text = table.substitute(line[6:] if given else line, self.words) if not line.startswith("set ") else line
        if text.startswith("given "):
            given, text = True, text[6:]
        word, _, rest = text.partition(" ")
        if word == "set":
            name, _, value = rest.partition("=")
            self.words[name.strip()] = value.strip()
        elif word == "WITH":
            name, _, value = rest.partition(":")
            self.extra[name.strip()] = value.strip()
        elif word == "AS":
            self.asker = rest.strip()
        elif word == "KEEP":
            name, expression = rest.split()
            found = table.look_up(self.answer.body, expression)
            if found is None:
                raise Trouble(f"there is no {expression} to keep in the answer before")
            self.words[name] = table.as_text(found)
        elif word == "UNTIL":
            self.until(rest)
        elif word == "WATCH":
            self.watch(rest, line)
        elif word == "EXPECT":
            self.expect(rest)
        elif word in table.METHODS:
            self.request(word, rest, line, given)
        else:
            raise table.TableError(f'"{short(line)}": {word} is not a step')

    def request(self, word, rest, line, given):
        method, content_type = table.METHODS[word]
        path, expression, body = split_request(rest)
        payload = self.payload(word, path, body)
        headers = {"Content-Type": content_type} if content_type and payload is not None else {}
        headers.update(self.extra)
        self.extra = {}
        self.answer = self.server.ask(method, self.path(path), payload, headers, self.asker)
        if given:
            if self.answer.code // 100 != 2:
                raise Trouble(f"the stage was not set: {self.answer.code} {short(json.dumps(self.answer.body), 600)}")
            return
        entry = {"step": short(line), "code": self.answer.code, "headers": self.answer.headers, "body": self.answer.body}
        if expression and self.answer.code // 100 == 2:
            entry["show"] = expression
        self.entries.append(entry)

    def path(self, path):
        return table.full_path(path, self.namespace)

    def payload(self, word, path, body):
        if not body:
            return None
        if body.startswith("raw "):
            return body[4:].encode()
        value = table.parse_body(body)
        if word in ("POST", "PUT", "APPLY") and isinstance(value, dict) and "kind" not in value and "apiVersion" not in value:
            kind = table.kind_of(path, self.namespace)
            if kind:
                value = {"apiVersion": kind[0], "kind": kind[1], **value}
        return json.dumps(value).encode()

    def until(self, text):
        word, rest = text.split(None, 1) if text.split(None, 1)[0] in table.METHODS else ("GET", text)
        method, content_type = table.METHODS[word]
        question, brace, body = rest.partition(" {")
        path, *conditions = question.split()
        payload = self.payload(word, path, brace.strip() + body)
        headers = {"Content-Type": content_type} if payload else {}
        end = time.monotonic() + PATIENCE
        nap = 0.02
        while True:
            self.answer = self.server.ask(method, self.path(path), payload, headers, self.asker)
            if all(table.holds(each, self.answer.code, self.answer.body) for each in conditions):
                return
            if time.monotonic() > end:
                last = json.dumps(self.answer.body)
                raise Trouble(f"not within {PATIENCE} s: {text}; the last answer was {self.answer.code} {short(last, 2000)}")
            time.sleep(nap)
            nap = min(nap * 1.5, 0.25)

    def watch(self, rest, line):
        name, path = rest.split()
        path = self.path(path)
        path += ("&" if "?" in path else "?") + "watch=true"
        watch = self.server.watch(path, self.extra, self.asker)
        self.extra = {}
        self.answer = watch.answer
        entry = {"step": short(line), "code": watch.answer.code, "headers": watch.answer.headers}
        if watch.answer.body is not None:
            entry["body"] = watch.answer.body
        self.entries.append(entry)
        self.watches[name] = watch

    def expect(self, rest):
        name, count = rest.split()
        found = self.watches[name].take(None if count == "end" else int(count), PATIENCE)
        self.entries.append({"step": f"EXPECT {rest}", "events": found})
        if count == "end" and not self.watches[name].ended:
            raise Trouble(f"the watch {name} did not end within {PATIENCE} s")

    def finish(self):
        """Events that were not expected."""
        live = {name: watch for name, watch in self.watches.items() if not watch.ended}
        if live:
            time.sleep(STRAGGLERS)
        for name, watch in live.items():
            if more := watch.take(10**6, 0):
                self.entries.append({"step": f"events of {name} that were not expected", "events": more})


def split_request(rest):
    """PATH [-> EXPR] [BODY] -> the three."""
    path, _, rest = rest.strip().partition(" ") if " " in rest.split("\n")[0].strip() else rest.strip().partition("\n")
    rest = rest.strip()
    expression = ""
    if rest.startswith("-> "):
        parts = rest[3:].split(None, 1)
        expression, rest = parts[0], parts[1] if len(parts) > 1 else ""
    return path, expression, rest.strip()


def short(text, limit=160):
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
