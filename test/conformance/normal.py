"""What two honest servers may do differently, made equal. Every rule is here, and nothing else is forgiven.

    namespace     the row's own namespace is $ns wherever it stands (rows of one run share a random suffix)
    uid           each uid is uid-1, uid-2, … in the order in which a row shows them
    version       each metadata.resourceVersion is v-1, v-2, … likewise, also where a message quotes it; a list's own
                  version is LIST-VERSION: it moves with everybody's writes
    time          an RFC 3339 time is TIME, one with fractions MICROTIME (that there is one, and where, is compared)
    suffix        what a server adds to a generateName is suffix-1, suffix-2, …; likewise the hex end of an Event's name
    hash          a pod template's hash (labels pod-template-hash and controller-revision-hash) is hash-1, …: it is Go's
                  own way to print a struct
    order         items of a list whose names are generated, Events, and entries of managedFields have no order
    causes        the errors of a 422 have no order (Go maps); they are compared as a set, in details and in the message
    continue      a continue token is CONTINUE
    address       podIP, podIPs, hostIP, hostIPs, clusterIP and clusterIPs of objects are ADDRESS
    credential    a signed token is TOKEN, a PEM certificate is PEM
    quantity      metadata.remainingItemCount stays; nothing numeric is ever changed
"""

import json
import re

UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
TOKEN = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")
PEM = re.compile(r"-----BEGIN CERTIFICATE-----.*-----END CERTIFICATE-----\n?", re.S)
ADDRESSES = {"podIP", "podIPs", "hostIP", "hostIPs", "clusterIP", "clusterIPs"}
HASHES = ("pod-template-hash", "controller-revision-hash")


def normalise(entries, namespace):
    """A row's transcript with all rules applied, as JSON values."""
    entries = json.loads(json.dumps(entries).replace(namespace, "$ns"))
    entries = [_ordered(entry) for entry in entries]
    words = Words()
    for entry in entries:
        words.collect(entry)
    return [_rewrite(entry, words) for entry in entries]


class Words:
    """What stands for what: filled in the order of appearance."""

    def __init__(self):
        self.uids, self.versions, self.suffixes, self.hashes = {}, {}, {}, {}

    def collect(self, value, key=""):
        if isinstance(value, dict):
            self._collect_names(value)
            for name in sorted(value, key=_reading_order):
                self.collect(value[name], name)
        elif isinstance(value, list):
            for item in value:
                self.collect(item, key)
        elif isinstance(value, str):
            for uid in UID.findall(value):
                self.uids.setdefault(uid, f"uid-{len(self.uids) + 1}")
            if key == "resourceVersion" and value.isdigit() and value != "0":
                self.versions.setdefault(value, f"v-{len(self.versions) + 1}")

    def _collect_names(self, value):
        name, prefix = value.get("name"), value.get("generateName")
        if isinstance(name, str) and isinstance(prefix, str) and prefix and name.startswith(prefix):
            self._suffix(name[len(prefix) :])
        if value.get("kind") == "Event" and isinstance(value.get("metadata"), dict):
            found = re.search(r"\.([0-9a-f]{14,16})$", str(value["metadata"].get("name")))
            if found:
                self._suffix(found.group(1))
        for key in HASHES:
            text = value.get(key)
            if isinstance(text, str) and text:
                self.hashes.setdefault(text, f"hash-{len(self.hashes) + 1}")

    def _suffix(self, text):
        if len(text) >= 4:
            self.suffixes.setdefault(text, f"suffix-{len(self.suffixes) + 1}")

    def in_text(self, text):
        for table in (self.hashes, self.suffixes):
            for old, new in table.items():
                text = re.sub(rf"(?<![a-z0-9]){re.escape(old)}(?![a-z0-9])", new, text)
        text = UID.sub(lambda m: self.uids.get(m.group(0), "uid-?"), text)
        text = TIME.sub(lambda m: "MICROTIME" if m.group(1) else "TIME", text)
        text = TOKEN.sub("TOKEN", text)
        text = PEM.sub("PEM", text)
        if "esource" in text and "ersion" in text:
            text = re.sub(r"\b\d+\b", lambda m: self.versions.get(m.group(0), m.group(0)), text)
            text = re.sub(r"(resource version: \d+ )\(\d+\)", r"\1(NOW)", text)
            text = re.sub(r"(resource version: \d+, current: )\d+", r"\1NOW", text)
        return text


def _reading_order(name):
    """metadata first, so that an object's own uid and version come before those it refers to."""
    return (name != "metadata", name)


def _rewrite(value, words, key="", parent=None):
    if isinstance(value, dict):
        fresh = {}
        for name, item in value.items():
            new = words.in_text(name) if name not in ("step",) else name
            fresh[new] = item if name == "step" else _rewrite(item, words, name, value)
        if str(value.get("kind", "")).endswith("List") and isinstance(fresh.get("metadata"), dict):
            meta = fresh["metadata"]
            if str(value["metadata"].get("resourceVersion", "")).isdigit():
                meta["resourceVersion"] = "LIST-VERSION"
            if meta.get("continue"):
                meta["continue"] = "CONTINUE"
        return fresh
    if isinstance(value, list):
        return [_rewrite(item, words, key) for item in value]
    if not isinstance(value, str):
        return value
    if key == "resourceVersion" and value in words.versions:
        return words.versions[value]
    if key in ADDRESSES or (key == "ip" and re.fullmatch(r"[0-9a-f.:]+", value)):
        return "ADDRESS" if value not in ("", "None") else value
    return words.in_text(value)


# ---- order


def _ordered(value):
    if isinstance(value, list):
        return [_ordered(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {name: _ordered(item) for name, item in value.items()}
    fields = value.get("managedFields")
    if isinstance(fields, list):
        fields.sort(key=_manager_key)
    items = value.get("items")
    if isinstance(items, list) and any(_is_generated(item) for item in items):
        items.sort(key=_item_key)
    if value.get("kind") == "Status" and value.get("reason") == "Invalid":
        _order_causes(value)
    return value


def _manager_key(entry):
    return [str(entry.get(k)) for k in ("operation", "manager", "apiVersion", "subresource")] + [json.dumps(entry.get("fieldsV1"), sort_keys=True)]


def _is_generated(item):
    if not isinstance(item, dict):
        return False
    meta = item.get("metadata") or {}
    return bool(meta.get("generateName")) or item.get("kind") == "Event" or "involvedObject" in item or any(
        key in (meta.get("labels") or {}) for key in HASHES)


def _item_key(item):
    """What an item is, without what chance gave it."""
    text = json.dumps(item, sort_keys=True)
    words = Words()
    words.collect(item)
    for key in list(words.uids) + list(words.versions) + list(words.suffixes) + list(words.hashes):
        text = text.replace(key, "?")
    return TIME.sub("?", re.sub(r'"(podIP|ip)": "[^"]*"', "?", text))


def _order_causes(status):
    causes = (status.get("details") or {}).get("causes")
    if not isinstance(causes, list) or len(causes) < 2:
        return
    causes.sort(key=lambda c: [str(c.get("field")), str(c.get("message")), str(c.get("reason"))])
    head, mark, tail = status.get("message", "").partition(": [")
    if not mark or not tail.endswith("]"):
        return
    rest, parts = tail[:-1], []
    for cause in sorted(causes, key=lambda c: -len(str(c.get("message")))):
        part = f'{cause.get("field")}: {cause.get("message")}'
        if part in rest:
            rest = rest.replace(part, "", 1)
            parts.append(part)
    status["message"] = f"{head}: [{', '.join(sorted(parts))}]" + (rest if rest.strip(", ") else "")
