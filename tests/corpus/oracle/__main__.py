# SPDX-License-Identifier: MIT
"""Computes what the programs of the corpus give, as TOSA 1.0 words it and from nothing but their
bytes. Fills in the outputs that corpus.json leaves empty, and checks the others, which somebody
else has found.

    python3 tests/corpus/oracle FOLDER
"""

import json
import math
import pathlib
import sys

import graph
from elements import FLOATS, Tensor, decode, encode


def tensor_of(json):
    kind = json["type"]
    return Tensor(kind, json["shape"], decode(kind, bytes.fromhex(json["data"])))


def near(kind, want, have, case):
    """The rule of compare.hpp."""
    if kind not in FLOATS or math.isnan(want):
        return want == have or have != have
    if encode(kind, [want]) == encode(kind, [have]):
        return True
    if want == 0 or not math.isfinite(want):
        return False
    bits = [int.from_bytes(encode(kind, [value]), "little") for value in (want, have)]
    return (abs(want - have) <= case.get("absolute", 0) or
            abs(want - have) <= case.get("relative", 0) * abs(want) or
            want * have > 0 and abs(bits[0] - bits[1]) <= case.get("ulp", 0))


def settle(case, program):
    """How many outputs it had to compute."""
    computed = 0
    results = program.run([tensor_of(given) for given in case["inputs"]])
    for output, result in zip(case["outputs"], results, strict=True):
        assert [output["type"], output["shape"]] == [result.kind, result.shape], case["name"]
        if not output["data"]:
            output["data"] = encode(result.kind, result.values).hex()
            computed += 1
            continue
        expected = tensor_of(output).values
        for i, (want, have) in enumerate(zip(expected, result.values, strict=True)):
            if not near(result.kind, want, have, case):
                sys.exit(f"{case['name']}: element {i} is {have}, where {want} is expected")
    return computed


def main(folder):
    path = folder / "corpus.json"
    corpus = json.loads(path.read_text())
    programs = graph.read(sorted(folder.glob("*.tosa")))
    computed = sum(settle(case, programs[case["name"]]) for case in corpus["cases"])
    path.write_text(json.dumps(corpus, indent=1) + "\n")
    print(f"{computed} outputs computed, all others as expected")


main(pathlib.Path(sys.argv[1]))
