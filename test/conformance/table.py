"""The table of requests: its text format, read into rows.

A file `NN-area.txt` holds one area. Words in capitals begin a step; an indented line continues the line before it.

    # a comment
    define pod = {metadata: {name: a}, ...}     text for $pod in every row of this file
    == A sentence, the row's name               begins a row; what follows are its steps
    accept REASON                               the row may differ, for this reason; it is counted and printed
    set name = TEXT                             text for $name from here on, in this row (definitions may use it)

    GET|POST|PUT|DELETE|OPTIONS PATH [-> EXPR] [BODY]
    MERGE|JSON|STRATEGIC|APPLY PATH [-> EXPR] [BODY]   the four kinds of PATCH
    given STEP                                  setting the stage: the answer must be a yes, and is not compared
    WITH Header: value                          for the next request
    AS admin | anonymous | TOKEN                who asks, from here on (anonymous sends no credentials)
    KEEP NAME EXPR                              text for $NAME, out of the answer before
    UNTIL [METHOD] PATH CONDITION ... [BODY]    asks until all conditions hold; nothing is compared
    WATCH NAME PATH                             opens a watch (the path gets watch=true)
    EXPECT NAME N                               waits for N more events of it and compares them; `end`: waits until it ends

PATH is a full path ("/version"), or PLURAL[/NAME[/SUBRESOURCE]][?QUERY] of the row's own namespace ($ns) or of the
cluster. `widgets`, `gadgets` belong to the API group $ns.example.com, version v1. What is not compared after "-> EXPR"
is the rest of the body.

EXPR is .a.b[0], .a["k/l"], .list[*].name, .list[type=Ready].status; a trailing # counts.
CONDITION is EXPR, EXPR=TEXT, EXPR!=TEXT or code=NUMBER; a missing value reads as none; of a [*] all must hold.

BODY is JSON with the quotes left away where nothing is lost ({name: a, n: 1, image: busybox:1}; 'quoted' text is taken
as it stands), or `raw TEXT`, sent as it is. A body without apiVersion and kind gets those of its path, except in
patches other than APPLY.
"""

import json
import pathlib
import re

METHODS = {
    "GET": ("GET", None),
    "POST": ("POST", "application/json"),
    "PUT": ("PUT", "application/json"),
    "DELETE": ("DELETE", "application/json"),
    "OPTIONS": ("OPTIONS", None),
    "MERGE": ("PATCH", "application/merge-patch+json"),
    "JSON": ("PATCH", "application/json-patch+json"),
    "STRATEGIC": ("PATCH", "application/strategic-merge-patch+json"),
    "APPLY": ("PATCH", "application/apply-patch+yaml"),
}

# plural -> (API, kind, in a namespace)
RESOURCES = {
    "configmaps": ("api/v1", "ConfigMap", True),
    "secrets": ("api/v1", "Secret", True),
    "pods": ("api/v1", "Pod", True),
    "services": ("api/v1", "Service", True),
    "serviceaccounts": ("api/v1", "ServiceAccount", True),
    "events": ("api/v1", "Event", True),
    "persistentvolumeclaims": ("api/v1", "PersistentVolumeClaim", True),
    "namespaces": ("api/v1", "Namespace", False),
    "nodes": ("api/v1", "Node", False),
    "deployments": ("apis/apps/v1", "Deployment", True),
    "replicasets": ("apis/apps/v1", "ReplicaSet", True),
    "daemonsets": ("apis/apps/v1", "DaemonSet", True),
    "controllerrevisions": ("apis/apps/v1", "ControllerRevision", True),
    "jobs": ("apis/batch/v1", "Job", True),
    "leases": ("apis/coordination.k8s.io/v1", "Lease", True),
    "poddisruptionbudgets": ("apis/policy/v1", "PodDisruptionBudget", True),
    "roles": ("apis/rbac.authorization.k8s.io/v1", "Role", True),
    "rolebindings": ("apis/rbac.authorization.k8s.io/v1", "RoleBinding", True),
    "clusterroles": ("apis/rbac.authorization.k8s.io/v1", "ClusterRole", False),
    "clusterrolebindings": ("apis/rbac.authorization.k8s.io/v1", "ClusterRoleBinding", False),
    "customresourcedefinitions": ("apis/apiextensions.k8s.io/v1", "CustomResourceDefinition", False),
    "widgets": ("apis/$ns.example.com/v1", "Widget", True),
    "gadgets": ("apis/$ns.example.com/v1", "Gadget", False),
    "selfsubjectaccessreviews": ("apis/authorization.k8s.io/v1", "SelfSubjectAccessReview", False),
    "subjectaccessreviews": ("apis/authorization.k8s.io/v1", "SubjectAccessReview", False),
    "selfsubjectrulesreviews": ("apis/authorization.k8s.io/v1", "SelfSubjectRulesReview", False),
    "selfsubjectreviews": ("apis/authentication.k8s.io/v1", "SelfSubjectReview", False),
    "tokenreviews": ("apis/authentication.k8s.io/v1", "TokenReview", False),
}

SUBRESOURCES = {
    "eviction": ("policy/v1", "Eviction"),
    "binding": ("v1", "Binding"),
    "scale": ("autoscaling/v1", "Scale"),
    "token": ("authentication.k8s.io/v1", "TokenRequest"),
}


class TableError(Exception):
    pass


class Row:
    def __init__(self, area, number, name, definitions):
        self.area, self.number, self.name = area, number, name
        self.definitions = definitions  # of the file, shared
        self.lines = []  # (line number, text)
        self.accepted = ""

    @property
    def title(self):
        return f"{self.area}: {self.name}"


def read_tables(folder):
    """All rows of the folder's NN-area.txt files, in order."""
    rows = []
    for path in sorted(pathlib.Path(folder).glob("[0-9][0-9]-*.txt")):
        rows += read_table(path)
    seen = set()
    for row in rows:
        if row.title in seen:
            raise TableError(f'two rows are named "{row.title}": give one another name')
        seen.add(row.title)
    return rows


def read_table(path):
    area = path.stem[3:]
    rows, definitions = [], {}
    for number, line in logical_lines(path.read_text()):
        if line.startswith("== "):
            rows.append(Row(area, len(rows) + 1, line[3:].strip(), definitions))
        elif line.startswith("define "):
            name, _, text = line[7:].partition("=")
            definitions[name.strip()] = text.strip()
        elif not rows:
            raise TableError(f"{path}:{number}: a step before the first row (== sentence)")
        elif line.startswith("accept "):
            rows[-1].accepted = line[7:].strip()
        else:
            rows[-1].lines.append((f"{path.name}:{number}", line))
    return rows


def logical_lines(text):
    """(number of the first line, text) of every line with its indented continuation; comments and blanks are gone."""
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("# ") or line.strip() == "#":
            continue
        if line[0] in " \t":
            if not lines:
                raise TableError(f"line {number} continues nothing")
            lines[-1] = (lines[-1][0], lines[-1][1] + "\n" + line.strip())
        else:
            lines.append((number, line.rstrip()))
    return lines


def substitute(text, words):
    """$name by its text, again and again (definitions use definitions); an unknown $word stays: JSON schemas have some."""
    for _ in range(8):
        fresh = re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda m: words.get(m.group(1) or m.group(2), m.group(0)), text)
        if fresh == text:
            break
        text = fresh
    return text


def full_path(path, namespace):
    """The path as it is sent."""
    if path.startswith("/"):
        return path
    plain, question, query = path.partition("?")
    plural, _, rest = plain.partition("/")
    if plural not in RESOURCES:
        raise TableError(f'"{path}": no resource {plural} is known; write the full path')
    api, _, namespaced = RESOURCES[plural]
    middle = f"namespaces/{namespace}/" if namespaced else ""
    return f"/{api}/{middle}{plural}{'/' + rest if rest else ''}{question}{query}".replace("$ns", namespace)


def kind_of(path, namespace):
    """(apiVersion, kind) of what is written to a short path; None for a full one."""
    if path.startswith("/"):
        return None
    parts = path.partition("?")[0].split("/")
    if len(parts) == 3 and parts[2] in SUBRESOURCES:
        return SUBRESOURCES[parts[2]]
    api, kind, _ = RESOURCES[parts[0]]
    return api.partition("/")[2].replace("$ns", namespace), kind


# ---- bodies


def parse_body(text):
    """The value of JSON with few quotes."""
    value, end = _value(text, _blanks(text, 0))
    if _blanks(text, end) != len(text):
        raise TableError(f"the body goes on after its end: {text[end:end + 40]!r}")
    return value


def _blanks(text, at):
    while at < len(text) and text[at] in " \n\t":
        at += 1
    return at


def _value(text, at):
    if at >= len(text):
        raise TableError(f"the body ends too early: ...{text[-40:]!r}")
    if text[at] == "{":
        return _members(text, at)
    if text[at] == "[":
        return _items(text, at)
    return _scalar(text, at)


def _members(text, at):
    result = {}
    at = _blanks(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = _scalar(text, at, is_key=True)
        at = _blanks(text, at)
        if text[at : at + 1] != ":":
            raise TableError(f"no colon after the key {key!r}, at {text[at:at + 40]!r}")
        result[key], at = _value(text, _blanks(text, at + 1))
        at = _separator(text, at, "}")
    return result, at + 1


def _items(text, at):
    result = []
    at = _blanks(text, at + 1)
    while text[at : at + 1] != "]":
        item, at = _value(text, at)
        result.append(item)
        at = _separator(text, at, "]")
    return result, at + 1


def _separator(text, at, end):
    at = _blanks(text, at)
    if text[at : at + 1] == ",":
        return _blanks(text, at + 1)
    if text[at : at + 1] != end:
        raise TableError(f"expected , or {end} at {text[at:at + 40]!r}")
    return at


def _scalar(text, at, is_key=False):
    if text[at] == '"':
        value, end = json.JSONDecoder().raw_decode(text, at)
        return value, end
    if text[at] == "'":
        end = text.find("'", at + 1)
        if end < 0:
            raise TableError(f"no closing ' after {text[at:at + 40]!r}")
        return text[at + 1 : end], end + 1
    found = re.compile(r"(?:[^,\[\]{}:\n]|:(?=[^ \n]))+").match(text, at)
    if not found:
        raise TableError(f"expected a value at {text[at:at + 40]!r}")
    word = found.group(0).strip()
    if is_key:
        return word, found.end()
    try:
        return json.loads(word), found.end()
    except ValueError:
        return word, found.end()


# ---- expressions

_PART = re.compile(r'\.([\w$-]+)|\[\*\]|\[(\d+)\]|\["([^"]+)"\]|\[([\w.]+)=([^\]]+)\]')


def look_up(value, expression):
    """What an expression finds; None when there is nothing. A [*] makes it a list."""
    count = expression.endswith("#")
    text = expression[:-1] if count else expression
    found = _walk([value], text, 0)
    found = found[0] if "[*]" not in text and found else ([] if "[*]" in text and not found else found or None)
    if count:
        return len(found) if isinstance(found, (list, dict)) else 0
    return found


def _walk(values, text, at):
    while at < len(text):
        part = _PART.match(text, at)
        if not part:
            if text == ".":
                return values
            raise TableError(f"cannot read the expression {text!r} from {text[at:]!r}")
        name, index, key, field, wanted = part.groups()
        fresh = []
        for value in values:
            if part.group(0) == "[*]":
                fresh += value if isinstance(value, list) else []
            elif index is not None:
                fresh += value[int(index) : int(index) + 1] if isinstance(value, list) else []
            elif field is not None:
                fresh += [x for x in value if as_text(look_up(x, "." + field)) == wanted] if isinstance(value, list) else []
            elif isinstance(value, dict) and (name or key) in value:
                fresh.append(value[name or key])
        values, at = fresh, part.end()
    return values


def as_text(value):
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def holds(condition, code, body):
    """Whether a condition of an UNTIL is true of an answer."""
    found = re.match(r"(code|\.(?:[^=!\[]|\[[^\]]*\])*)(?:(=|!=)(.*))?$", condition, re.S)
    if not found:
        raise TableError(f"cannot read the condition {condition!r}")
    expression, relation, wanted = found.groups()
    actual = code if expression == "code" else look_up(body, expression)
    if relation is None:
        return actual is not None and actual != []
    values = actual if isinstance(actual, list) and "[*]" in expression else [actual]
    if relation == "=":
        return bool(values) and all(as_text(v) == wanted for v in values)
    return all(as_text(v) != wanted for v in values)
