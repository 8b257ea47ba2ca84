#!/usr/bin/env python3
"""Is a trace what viewers of Chrome's Trace Event Format take (chrome://tracing, Perfetto)? The JSON object form.

trace_format.py FILE... prints what is wrong and exits with 1, else says how many events there are.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import collections
import json
import numbers
import sys

METADATA = {"process_name": "name", "process_labels": "labels", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}
SLACK = 0.0015 # microseconds: times are written with three digits behind the point


def is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def event_faults(event):
    """What is wrong with one event by itself."""
    if not isinstance(event, dict):
        return ["no object"]
    faults = []
    phase = event.get("ph")
    if phase not in ("X", "B", "E", "M", "i", "C"):
        faults.append(f"ph {phase!r}")
    for key in ("pid", "tid"):
        if not isinstance(event.get(key), int) or isinstance(event.get(key), bool):
            faults.append(f"{key} {event.get(key)!r}")
    if phase != "E" and not (isinstance(event.get("name"), str) and event["name"]):
        faults.append("no name")
    if phase == "M":
        wanted = METADATA.get(event.get("name"))
        if wanted is None or wanted not in event.get("args", {}):
            faults.append("metadata of no known kind, or without its argument")
    elif not is_number(event.get("ts")) or event["ts"] < 0:
        faults.append(f"ts {event.get('ts')!r}")
    if phase == "X" and (not is_number(event.get("dur")) or event["dur"] < 0):
        faults.append(f"dur {event.get('dur')!r}")
    if not isinstance(event.get("cat", ""), str):
        faults.append("cat is no text")
    if not isinstance(event.get("args", {}), dict):
        faults.append("args is no object")
    return faults


def nesting_faults(thread, events):
    """Slices of a thread lie within each other or apart."""
    faults, open_ends = [], []
    for e in sorted((e for e in events if e["ph"] == "X"), key=lambda e: (e["ts"], -e["dur"])):
        end = e["ts"] + e["dur"]
        while open_ends and open_ends[-1] <= e["ts"] + SLACK:
            open_ends.pop()
        if open_ends and end > open_ends[-1] + SLACK:
            faults.append(f"thread {thread}: {e['name']} at {e['ts']} ends after what it lies in")
        open_ends.append(end)
    depth = 0
    for e in sorted((e for e in events if e["ph"] in "BE"), key=lambda e: e["ts"]):
        depth += 1 if e["ph"] == "B" else -1
        if depth < 0:
            faults.append(f"thread {thread}: an end without its beginning")
            break
    if depth > 0:
        faults.append(f"thread {thread}: a beginning without its end")
    return faults


def faults_of(trace):
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["no object with a list traceEvents"]
    faults = []
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        faults.append("displayTimeUnit")
    threads, named, processes = collections.defaultdict(list), set(), set()
    for number, event in enumerate(trace["traceEvents"]):
        wrong = event_faults(event)
        if wrong:
            faults += [f"event {number}: {w}" for w in wrong]
            continue
        place = (event["pid"], event["tid"])
        if event["ph"] != "M":
            threads[place].append(event)
        elif event["name"] == "thread_name":
            named.add(place)
        elif event["name"] == "process_name":
            processes.add(event["pid"])
    for place, events in threads.items():
        faults += nesting_faults(place, events)
        if place not in named or place[0] not in processes:
            faults.append(f"thread {place} or its process has no name")
    return faults


def main():
    bad = False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            trace = json.load(f)
        faults = faults_of(trace)
        bad |= bool(faults)
        for fault in faults:
            print(f"{path}: {fault}")
        if not faults:
            print(f"{path}: {len(trace['traceEvents'])} events")
    return bad


if __name__ == "__main__":
    sys.exit(main())
