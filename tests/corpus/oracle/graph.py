# SPDX-License-Identifier: MIT
"""Reads TOSA files by way of flatc, and runs them."""

import dataclasses
import json
import pathlib
import subprocess
import tempfile

import arithmetic
import layout
import reduction
import window
from elements import Tensor, decode

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "uapi/tosa/tosa.fbs"

OPERATORS = arithmetic.OPERATORS | layout.OPERATORS | reduction.OPERATORS | window.OPERATORS


@dataclasses.dataclass
class Call:
    """An operator, as the functions of OPERATORS take it. They return what gives the element of
    the output at an index, or of each output."""
    name: str
    inputs: list
    attribute: dict
    outputs: list  # (type, shape)

    def run(self):
        elements = OPERATORS[self.name](self)
        if callable(elements):
            elements = [elements]
        return [Tensor.of(kind, shape, element)
                for (kind, shape), element in zip(self.outputs, elements, strict=True)]


class Program:
    def __init__(self, graph):
        self.blocks = {region["name"]: region["blocks"][0] for region in graph["regions"]}

    def run(self, inputs, name="main"):
        block = self.blocks[name]
        tensors = {tensor["name"]: tensor for tensor in block["tensors"]}
        values = dict(zip(block["inputs"], inputs, strict=True))
        for tensor in block["tensors"]:
            if tensor.get("data"):
                values[tensor["name"]] = Tensor(tensor["type"], tensor["shape"],
                                                decode(tensor["type"], bytes(tensor["data"])))
        for shape in block.get("shapes", []):
            values[shape["name"]] = decode("SHAPE", bytes(shape["data"]))
        for operator in block["operators"]:
            if operator["op"] in ("CONST", "CONST_SHAPE"):
                continue
            outputs = [(tensors[output]["type"], tensors[output].get("shape", []))
                       for output in operator["outputs"]]
            call = Call(operator["op"], [values[given] for given in operator["inputs"]],
                        operator["attribute"], outputs)
            results = self.control(call) or call.run()
            values.update(zip(operator["outputs"], results, strict=True))
        return [values[output] for output in block["outputs"]]

    def control(self, call):
        """None of what has no regions."""
        if call.name == "COND_IF":
            chosen = "then_graph" if call.inputs[0].values[0] else "else_graph"
            return self.run(call.inputs[1:], call.attribute[chosen])
        if call.name == "WHILE_LOOP":
            state = call.inputs
            while self.run(state, call.attribute["cond_graph"])[0].values[0]:
                state = self.run(state, call.attribute["body_graph"])
            return state
        return None


def read(paths):
    """Programs by the names of their files without suffixes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["flatc", "--json", "--strict-json", "--defaults-json", "-o", folder, SCHEMA,
                        "--", *paths], check=True)
        return {path.stem: Program(json.loads(path.read_text()))
                for path in pathlib.Path(folder).iterdir()}
