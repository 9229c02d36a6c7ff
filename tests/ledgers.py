#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the documents that promise tests: each promise names tests that exist.

    ledgers.py budgets        docs/performance-budgets.json
    ledgers.py requirements   docs/requirements.md
    ledgers.py hostile        docs/hostile-device.md
    ledgers.py security       docs/security.md

Prints what is wrong, nothing if all is well.
"""
import functools
import glob
import hashlib
import json
import os
import re
import sys

OPERATIONS = [
    "wire.config_decode",
    "wire.request_decode_non_submit",
    "wire.submit_decode",
    "transport.segmented_region_access",
    "state.object_lookup",
    "device.command_dispatch",
    "device.submission_admission",
    "device.polling",
    "device.reset",
    "provider.explicit_transfer",
    "provider.copy_path_diagnostics",
]
BUDGET = {
    "operation": str,
    "path": str,
    "complexity": str,
    "allocations": str,
    "copies": str,
    "allocates_from_unvalidated_guest_count": bool,
    "thresholds": dict,
    "test": str,
}

KEYWORDS = {"MUST", "MUST NOT", "REQUIRED", "SHOULD", "SHOULD NOT", "MAY", "OPTIONAL"}
REQUIREMENT = re.compile(r"REQ-(?:SPEC|WIRE|VIRTQ)-[0-9A-F]{12}")
# Of the sorted ids, one a line. Both change only with the protocol.
REQUIREMENTS = 156
REQUIREMENTS_SHA256 = "5c580e3c48a53c825c975b6f0c0891c8962b6467261d87905fb1c8b7cc9b93ef"

# FILE: "CASE", "CASE" or, for kselftests, FILE: FIXTURE.TEST, FIXTURE.TEST
TESTS = re.compile(r'(tests/[\w/-]+\.\w+): ("[^"]+"(?:, "[^"]+")*)|'
                   r'(selftests/\w+\.c): (\w+\.\w+(?:, \w+\.\w+)*)')
STRINGS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'


@functools.cache
def tests_in(path):
    """The names of the tests in a source file."""
    if not os.path.isfile(path):
        return set()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".c"):
        return {".".join(found) for found in re.findall(r"^TEST_F\((\w+), (\w+)\)", text, re.M)}
    if path.endswith(".sh"):
        return set(re.findall(r'^check "([^"]+)"', text, re.M))
    cases = re.findall(r"\bTEST_CASE\w*\(\s*(?:\w+,\s*)?" + STRINGS, text)
    names = {"".join(re.findall(r'"((?:[^"\\]|\\.)*)"', case)) for case in cases}
    # The rows of the conformance suite.
    return names | set(re.findall(r'^ *\{"([a-z-]+\.[a-z-]+)", ', text, re.M))


def missing_tests(text):
    """What `text` names that is no test; None if it names none at all."""
    named = [(path, name)
             for case_path, cases, self_path, selftests in TESTS.findall(text)
             for path, names in ((case_path, re.findall(r'"([^"]+)"', cases)),
                                 (self_path, re.findall(r"[\w.]+", selftests)))
             for name in names]
    if not named:
        return None
    return [f"{path} has no test {name}" for path, name in named if name not in tests_in(path)]


def budgets():
    with open("docs/performance-budgets.json", encoding="utf-8") as file:
        document = json.load(file)
    rows = document["budgets"]
    if [row.get("operation") for row in rows] != OPERATIONS:
        yield "the operations are not those of the protocol, in their order"
    for row in rows:
        name = row.get("operation")
        if {key: type(value) for key, value in row.items()} != BUDGET:
            yield f"{name}: the fields or their types are not {', '.join(BUDGET)}"
            continue
        if row["allocates_from_unvalidated_guest_count"]:
            yield f"{name}: allocates from a count that nobody checked"
        for key, value in row["thresholds"].items():
            if type(value) is not int or value < 0 or (value > 0 and "allocations" not in key):
                yield f"{name}: {key} is {value}"
        if not row["thresholds"]:
            yield f"{name}: no threshold"
        if missing_tests(row["test"]) != []:
            yield f"{name}: {row['test']} does not exist"
        elif f'"{name}"' not in row["test"]:
            yield f"{name}: its test has another name"


def unproven(what, proof):
    """What is wrong with a proof, which names tests or says why there is none."""
    missing = missing_tests(proof)
    if missing is None and not proof.startswith("No test: "):
        yield f"{what}: neither a test nor a reason"
    if '"' in TESTS.sub("", proof):
        yield f"{what}: a name without its file"
    yield from (f"{what}: {text}" for text in missing or [])


def requirements():
    with open("docs/requirements.md", encoding="utf-8") as file:
        rows = [[cell.strip() for cell in line.strip().strip("|").split(" | ")]
                for line in file if line.startswith("| REQ-")]
    ids = [row[0] for row in rows]
    digest = hashlib.sha256("".join(id + "\n" for id in sorted(ids)).encode()).hexdigest()
    if len(ids) != REQUIREMENTS or digest != REQUIREMENTS_SHA256:
        yield f"{len(ids)} ids with digest {digest} are not the protocol's {REQUIREMENTS}"
    yield from compared_with_protocol(set(ids))
    for row in rows:
        if len(row) != 4 or not REQUIREMENT.fullmatch(row[0]) or row[1] not in KEYWORDS:
            yield f"{row[0]}: not a row of id, keyword, meaning, proof"
            continue
        yield from unproven(row[0], row[3])


def compared_with_protocol(ids):
    """The text of the protocol lies beside some checkouts, not in the tree."""
    path = "../shared/protocol/protocol.md"
    if not os.path.isfile(path):
        return
    with open(path, encoding="utf-8") as file:
        listed = re.findall(r"^\| ((?:SPEC|WIRE|VIRTQ)-[0-9A-F]{12}) \|", file.read(), re.M)
    for id in sorted(ids ^ {"REQ-" + id for id in listed}):
        yield f"{id}: not in the protocol and the ledger both"


def hostile():
    """Each row names functions of the driver and lies that are told."""
    with open("tests/hostile/lies", encoding="utf-8") as file:
        told = [line.split()[0] for line in file if line.strip() and line[0] != "#"]
    driver = ""
    for path in glob.glob("kernel/*.c"):
        with open(path, encoding="utf-8") as file:
            driver += file.read()
    with open("docs/hostile-device.md", encoding="utf-8") as file:
        rows = [line.strip("| \n").split(" | ") for line in file if line.startswith("| ")][2:]
    for row in rows:
        for function in re.findall(r"`(vaccel_\w+)\(\)`", row[2]):
            if function + "(" not in driver:
                yield f"{row[0]}: no function {function}"
        lies = re.findall("`([^`]+)`", row[3])
        for lie in lies:
            if not any(name.startswith(lie.rstrip("*")) for name in told):
                yield f"{row[0]}: no lie {lie}"
        if not lies:
            yield f"{row[0]}: no lie at all"


def security():
    """Each row of the threat model has a bound and tests of it, or says why none."""
    with open("docs/security.md", encoding="utf-8") as file:
        rows = [[cell.strip() for cell in line.strip().strip("|").split(" | ")]
                for line in file.read().split("## Threat model")[1].splitlines()
                if line.startswith("| ")][2:]
    if not rows:
        yield "there is no threat model"
    for row in rows:
        if len(row) != 3:
            yield f"{row[0]}: not a row of what is controlled, bound, proof"
            continue
        yield from unproven(row[0], row[2])


LEDGERS = {"budgets": budgets, "requirements": requirements, "hostile": hostile,
           "security": security}
for finding in LEDGERS[sys.argv[1]]():
    print(finding)
