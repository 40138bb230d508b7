"""What a person reads of the figures: the table, and what drover was wanted to reach and did not.

A row is what measure.rollout says of one contestant at one size, with what run.py measured besides. Rows of several runs stand in one
file; a later row of the same contestant and size takes the place of the earlier.
"""
import json
import os

# From the issue that asked for the comparison. Sizes that are not listed are measured and not judged.
MOST_RATIO = {(10, 1): 1.05, (50, 5): 1.05, (200, 10): 1.08}
MOST_LATE_MS = 50
MOST_ASKS_A_MINUTE = 6
WRITES_DIFFER_BY = 0.5  # a node's writes are the same at every size, but for one that was repeated here and there

HEAD = ["contestant", "nodes x parallel", "most at once", "rollout", "optimum", "ratio", "over no time lost", "requests/node", "writes/node", "CPU",
        "peak RSS", "event to write p50 / p99", "asks a blocked pod", "idle requests", "load"]


def size_of(row):
    return f"{row['nodes']}x{row['parallel']}"


# ---- the table


def idle_requests(row):
    """(others, the lease's, watches begun again) among the requests while nothing was to be done. A watch ends after some minutes by itself."""
    lease = sum(count for kind, count in row["idle"].items() if kind.endswith(" leases"))
    watches = sum(count for kind, count in row["idle"].items() if kind.startswith("watch "))
    return sum(row["idle"].values()) - lease - watches, lease, watches


def idle_text(row):
    if "idle" not in row:
        return "-"
    others, lease, watches = idle_requests(row)
    more = (f" + {lease} of the lease" if lease else "") + (f" + {watches} watches restarted" if watches else "")
    return f"{others}{more} in {row['idle_seconds']} s"


def cells(row):
    left = "" if row["finished"] == row["nodes"] else f" ({row['finished']} of {row['nodes']} nodes, then left)"
    late = row["late_ms"]
    return [row["contestant"], size_of(row), str(row["most_at_once"]), f"{row['seconds']:.1f} s{left}", f"{row['optimum']:.1f} s", f"{row['ratio']:.3f}",
            f"{row['ratio_no_time_lost']:.3f}", f"{row['requests_per_node']:.1f}", f"{row['writes_per_node']:.1f}", f"{row.get('cpu_seconds', 0):.2f} s",
            f"{row.get('peak_mib', 0):.0f} MiB", f"{late['p50']:.0f} / {late['p99']:.0f} ms",
            f"{row['asked_a_minute']}/min" if "asked_a_minute" in row else "-", idle_text(row), " ".join(f"{one:.1f}" for one in row["load"])]


def table(rows):
    lines = [HEAD, ["---"] * len(HEAD)] + [cells(row) for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# ---- what was wanted


def misses(rows):
    """One sentence for each figure of drover's that is not as wanted."""
    ours = [row for row in rows if row["contestant"] == "drover"]
    found = []
    for row in ours:
        size, most = size_of(row), MOST_RATIO.get((row["nodes"], row["parallel"]))
        if row["finished"] < row["nodes"]:
            found.append(f"{size}: {row['finished']} of {row['nodes']} nodes in time")
            continue
        if most and row["ratio"] > most:
            found.append(f"{size}: {row['ratio']:.3f} of the optimum, wanted at most {most}")
        if row["most_at_once"] > row["parallel"]:
            found.append(f"{size}: {row['most_at_once']} nodes at once, allowed {row['parallel']}")
        if row["late_ms"]["p99"] >= MOST_LATE_MS:
            found.append(f"{size}: event to write p99 {row['late_ms']['p99']:.0f} ms, wanted under {MOST_LATE_MS}")
        if row.get("asked_a_minute", 0) > MOST_ASKS_A_MINUTE:
            found.append(f"{size}: a blocked pod is asked {row['asked_a_minute']} times a minute, wanted at most {MOST_ASKS_A_MINUTE}")
        if "idle" in row and idle_requests(row)[0] > 0:
            found.append(f"{size}: {idle_requests(row)[0]} requests besides the lease and watches with nothing to do")
    writes = [row["writes_per_node"] for row in ours if row["finished"] == row["nodes"]]
    if writes and max(writes) - min(writes) > WRITES_DIFFER_BY:
        found.append(f"writes per node differ with the size: {min(writes)} to {max(writes)}")
    return found


def tell(rows):
    """Prints all of it. A figure that was missed is told, and does not fail the measurement."""
    print(table(rows))
    if all(row["contestant"] != "drover" for row in rows):
        return 0
    missed = misses(rows)
    print("\n" + "\n".join(["drover missed:"] + ["  " + one for one in missed] if missed else ["drover reached what was wanted of it"]))
    return 0


# ---- the file


def rank(row):
    return row["nodes"], row["contestant"]


def put(path, row, where):
    rows = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            rows = [one for one in json.load(file)["rows"] if rank(one) != rank(row)]
    rows = sorted(rows + [row], key=rank)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"machine": where, "rows": rows}, file, indent=1)
    os.replace(path + ".new", path)
    return rows
