"""What two honest servers may do differently, made equal. Every rule is here, and nothing else is forgiven.

    namespace     the row's own namespace is $ns wherever it stands (rows of one run share a random suffix)
    uid           each uid is uid-1, uid-2, … in the order in which a row shows them
    version       each metadata.resourceVersion is v-1, v-2, … likewise, also where a message quotes it; that of a list
                  or a bookmark is LIST-VERSION: it moves with all writes
    time          an RFC 3339 time is TIME, one with fractions MICROTIME (that there is one, and where, is compared)
    age           a cell of a table that tells an age ("12s") is AGE
    suffix        what a server adds to a generateName is suffix-1, suffix-2, …; likewise the hex end of an Event's name
                  and the end of a pod's kube-api-access volume
    hash          a pod template's hash (labels pod-template-hash and controller-revision-hash, and where a condition
                  quotes a ReplicaSet's name) is hash-1, …: it is Go's own way to print a struct; a storageVersionHash is HASH: it holds the row's API group
    order         items of a list whose names are generated, Events, and entries of managedFields have no order
    causes        the errors of a 422 have no order (Go maps); they are compared as a set, in details and in the message
    continue      a continue token is CONTINUE
    address       podIP, podIPs, hostIP, hostIPs, clusterIP and clusterIPs of objects are ADDRESS, also as a key k:{"ip":…}
                  and as a table's cell if it is of the services' range
    prose         the description of a table's column is PROSE: ours are our own words
    dump          what follows "pod updates may not change fields other than …" is cut off: a diff of two printed Go structs
    credential    a signed token is TOKEN, a PEM certificate is PEM

Numbers, booleans, field names and the order of everything else are compared as they are. Rules are applied to whole
answers, before "-> EXPR" cuts a part out.
"""

import json
import re

import table

UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
DUMP = re.compile(r"(pod updates may not change fields other than .*?)\n@@ -.*", re.S)
AGE = re.compile(r"\d+(m\d+)?s")
TOKEN = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")
PEM = re.compile(r"-----BEGIN CERTIFICATE-----.*-----END CERTIFICATE-----\n?", re.S)
ADDRESSES = {"podIP", "podIPs", "hostIP", "hostIPs", "clusterIP", "clusterIPs"}
QUOTED_VERSION = re.compile(r"ResourceVersion in (?:the precondition|record) \((\d+)\)")
QUOTED_REPLICA_SET = re.compile(r'ReplicaSet "[a-z0-9.-]+-([bcdfghjklmnpqrstvwxz2456789]{8,10})"')
HASHES = ("pod-template-hash", "controller-revision-hash")


def normalise(entries, namespace):
    """A row's transcript with all rules applied, as JSON values."""
    entries = json.loads(json.dumps(entries).replace(namespace, "$ns"))
    entries = [_ordered(entry) for entry in entries]
    words = Words()
    for entry in entries:
        words.collect_names(entry)
    shown = [_cut(entry) for entry in entries]
    for entry, key in shown:
        words.collect(entry, key)
    return [_rewrite(entry, words, key) for entry, key in shown]


def _cut(entry):
    """The entry with only the shown part of its body, and the name of that part."""
    expression = entry.pop("show", None)
    if not expression:
        return entry, ""
    entry["body"] = table.look_up(entry["body"], expression)
    return entry, re.split(r"[.\[]", expression)[-1]


class Words:
    """What stands for what: filled in the order of appearance."""

    def __init__(self):
        self.uids, self.versions, self.suffixes, self.hashes = {}, {}, {}, {}

    def collect(self, value, key=""):
        """Uids and versions."""
        if isinstance(value, dict):
            for name in sorted(value, key=_reading_order):
                if not _moves_with_everybody(value, name):
                    self.collect(value[name], key if name == "body" and key else name)
        elif isinstance(value, list):
            for item in value:
                self.collect(item, key)
        elif isinstance(value, str):
            for uid in UID.findall(value):
                self.uids.setdefault(uid, f"uid-{len(self.uids) + 1}")
            quoted = QUOTED_VERSION.findall(value)
            for version in [value] if key == "resourceVersion" else quoted:
                if version.isdigit() and version != "0":
                    self.versions.setdefault(version, f"v-{len(self.versions) + 1}")

    def collect_names(self, value):
        """Suffixes and hashes."""
        if isinstance(value, list):
            for item in value:
                self.collect_names(item)
        if not isinstance(value, dict):
            return
        name, prefix = value.get("name"), value.get("generateName")
        if isinstance(name, str) and isinstance(prefix, str) and prefix and name.startswith(prefix):
            self._suffix(name[len(prefix) :])
        elif isinstance(name, str) and re.fullmatch(r"kube-api-access-[a-z0-9]{5}", name):
            self._suffix(name[-5:])
        if value.get("kind") == "Event" and isinstance(value.get("metadata"), dict):
            found = re.search(r"\.([0-9a-f]{14,16})$", str(value["metadata"].get("name")))
            if found:
                self._suffix(found.group(1))
        quoted = QUOTED_REPLICA_SET.findall(str(value.get("message", "")))
        for text in [value.get(key) for key in HASHES] + quoted:
            if isinstance(text, str) and text:
                self.hashes.setdefault(text, f"hash-{len(self.hashes) + 1}")
        for key in sorted(value, key=_reading_order):
            self.collect_names(value[key])

    def _suffix(self, text):
        if len(text) >= 4:
            self.suffixes.setdefault(text, f"suffix-{len(self.suffixes) + 1}")

    def in_text(self, text):
        for names in (self.hashes, self.suffixes):
            for old, new in names.items():
                text = re.sub(rf"(?<![a-z0-9]){re.escape(old)}(?![a-z0-9])", new, text)
        text = UID.sub(lambda m: self.uids.get(m.group(0), "uid-?"), text)
        text = TIME.sub(lambda m: "MICROTIME" if m.group(1) else "TIME", text)
        text = TOKEN.sub("TOKEN", text)
        text = PEM.sub("PEM", text)
        text = DUMP.sub(r"\1", text)
        for version in QUOTED_VERSION.findall(text):
            text = text.replace(f"({version})", f"({self.versions.get(version, version)})")
        text = re.sub(r"(resource version: \d+ )\(\d+\)", r"\1(NOW)", text)
        text = re.sub(r"(resource version: \d+, current: )\d+", r"\1NOW", text)
        return re.sub(r'(k:\{"ip":)"[^"]+"', r"\1ADDRESS", text)


def _moves_with_everybody(value, name):
    """The version of a list or of a bookmark."""
    if name != "metadata" or not isinstance(value.get("metadata"), dict):
        return False
    names = set(value["metadata"])
    is_bookmark = "resourceVersion" in names and names <= {"resourceVersion", "creationTimestamp", "annotations"}
    return is_bookmark or str(value.get("kind", "")).endswith("List")


def _reading_order(name):
    """metadata first, so that an object's own uid and version come before those it refers to."""
    return (name != "metadata", name)


def _rewrite(value, words, key=""):
    if isinstance(value, dict):
        fresh = {}
        for name, item in value.items():
            if name == "step":
                fresh[name] = item
            elif name == "storageVersionHash":
                fresh[name] = "HASH"
            elif name == "description" and key == "columnDefinitions" and item:
                fresh[name] = "PROSE"
            elif _moves_with_everybody(value, name):
                fresh[name] = _list_metadata(item, words)
            else:
                fresh[words.in_text(name)] = _rewrite(item, words, key if name == "body" and key else name)
        return fresh
    if isinstance(value, list):
        return [_rewrite(item, words, key) for item in value]
    if not isinstance(value, str):
        return value
    if key == "resourceVersion" and value in words.versions:
        return words.versions[value]
    if key == "cells" and AGE.fullmatch(value):
        return "AGE"
    if key == "cells" and re.fullmatch(r"10\.96\.\d+\.\d+", value):
        return "ADDRESS"
    if key in ADDRESSES or (key == "ip" and re.fullmatch(r"[0-9a-f.:]+", value)):
        return "ADDRESS" if value not in ("", "None") else value
    return words.in_text(value)


def _list_metadata(meta, words):
    fresh = {name: _rewrite(item, words, name) for name, item in meta.items()}
    if str(meta.get("resourceVersion", "")).isdigit():
        fresh["resourceVersion"] = "LIST-VERSION"
    if meta.get("continue"):
        fresh["continue"] = "CONTINUE"
    return fresh


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
    words = [str(entry.get(name)) for name in ("operation", "manager", "apiVersion", "subresource")]
    return words + [json.dumps(entry.get("fieldsV1"), sort_keys=True)]


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
    words.collect_names(item)
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
