#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A compiler for virtio-accel-xdna-store on AMD's mlir-aie toolchain (docs/providers/xdna-compiler.md).

    aie-compiler.py --versions        the versions of all its parts, as JSON
    aie-compiler.py --check DIRECTORY what DIRECTORY/spec.json asks for, which needs no toolchain
    aie-compiler.py DIRECTORY         makes what DIRECTORY/spec.json asks for

It runs in the Python that has the packages mlir_aie (1.4) and llvm-aie (Peano), with xclbinutil
in PATH. No toolchain and no NPU has run the designs below yet: what is tested is everything up
to them, and kernels.hpp on the host.
"""
import hashlib
import importlib.metadata
import json
import os
import shutil
import sys
import sysconfig
import traceback
from pathlib import Path

SCHEMA = 1
EXIT_TOOLCHAIN_MISSING = 3
HERE = Path(__file__).resolve().parent
PACKAGES = ("mlir_aie", "llvm-aie")
LINE = 1024  # elements that a core is streamed at once


class Failed(Exception):
    """stage is one of the contract's."""

    def __init__(self, stage, message):
        super().__init__(message)
        self.stage = stage


# ---- What is asked for


def words(size):
    """The array's DMA moves four bytes at once."""
    return (size + 3) // 4 * 4


def product_bytes(f, operand, out=4):
    return [words(operand * f["m"] * f["k"]), words(operand * f["k"] * f["n"])], [out * f["m"] * f["n"]]


def pooled(f, axis, kernel, stride):
    return (f[axis] - f[kernel]) // f[stride] + 1


def pool_bytes(f):
    rows, columns = pooled(f, "in_height", "kernel_y", "stride_y"), pooled(f, "in_width", "kernel_x", "stride_x")
    pixel = 2 * f["channels"]
    return [words(pixel * f["in_height"] * f["in_width"])], [words(pixel * rows * columns)]


FP8 = ("e4m3", "e5m2")
INT8 = range(-128, 128)
EDGE = range(1, 513)
COUNT = range(1, 1 << 30)
WINDOW = range(1, 9)
TILES = {"m": EDGE[31::32], "k": EDGE[63::64], "n": EDGE[31::32]}
POOL = {"in_height": COUNT, "in_width": COUNT, "channels": COUNT, "kernel_y": WINDOW, "kernel_x": WINDOW,
        "stride_y": WINDOW, "stride_x": WINDOW}

# kind: what each field may be, and the bytes of inputs and outputs.
KINDS = {
    "bf16-identity": ({"elements": COUNT}, lambda f: ([2 * f["elements"]], [2 * f["elements"]])),
    "int8-identity": ({"elements": COUNT}, lambda f: ([f["elements"]], [f["elements"]])),
    "fp8-to-bf16": ({"format": FP8, "elements": COUNT}, lambda f: ([f["elements"]], [2 * f["elements"]])),
    "bf16-matmul": (TILES, lambda f: product_bytes(f, 2)),
    "fp8-matmul": ({"a": FP8, "b": FP8, **TILES}, lambda f: product_bytes(f, 1)),
    "int8-matmul": ({"m": EDGE, "k": EDGE, "n": EDGE, "a_zero": INT8, "b_zero": INT8},
                    lambda f: product_bytes(f, 1)),
    "int32-to-int8-rescale": ({"elements": COUNT, "multiplier": range(1 << 31), "shift": range(2, 63),
                               "output_zero": INT8}, lambda f: ([4 * f["elements"]], [words(f["elements"])])),
    "bf16-max-pool2d": (POOL, pool_bytes),
}


def read_spec(directory):
    """(kind, fields, input_bytes, output_bytes): of a kind and with fields that are known here."""
    try:
        spec = json.loads((directory / "spec.json").read_text())
        kind, fields = spec["kind"], spec["fields"]
        allowed, sizes = KINDS[kind]
        known = spec["schema"] == SCHEMA and fields.keys() == allowed.keys()
        if not known or not all(type(v) in (int, str) and v in allowed[k] for k, v in fields.items()):
            raise ValueError(f"{kind} with {fields}")
        inputs, outputs = sizes(fields)
        if (inputs, outputs) != (spec["input_bytes"], spec["output_bytes"]):
            raise ValueError(f"{kind} has {inputs} and {outputs} bytes")
        if min(inputs + outputs) <= 0 or any(size % 4 for size in inputs + outputs):
            raise ValueError(f"{kind} of {inputs} and {outputs} bytes")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failed("spec-rejected", repr(error)) from error
    return kind, fields, inputs, outputs


# ---- The toolchain


def versions():
    """Of all that a kernel depends on but its spec. None without a toolchain."""
    found = {"python": sys.version.split()[0]}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return None
    packer = shutil.which("xclbinutil", path=search_path())
    if packer is None:
        return None
    for name, file in (("xclbinutil", packer), ("helper", __file__), ("kernels", HERE / "kernels.hpp")):
        found[name] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return found


def site():
    return Path(sysconfig.get_paths()["purelib"])


def search_path():
    return os.pathsep.join([str(site() / "mlir_aie/bin"), str(site() / "llvm-aie/bin"), os.environ.get("PATH", "")])


def set_up():
    """What the toolchain's own env_setup.sh would: the environment is empty but for PATH and HOME."""
    python = str(site() / "mlir_aie/python")
    sys.path.insert(0, python)
    os.environ.update(PATH=search_path(), PYTHONPATH=python, PEANO_INSTALL_DIR=str(site() / "llvm-aie"),
                      MLIR_AIE_INSTALL_DIR=str(site() / "mlir_aie"), NPU_RUNTIME="xrt",
                      LD_LIBRARY_PATH=str(site() / "mlir_aie/lib"))


# ---- The designs
#
# Each returns the MLIR of a program for one core at most. Its runtime sequence takes the
# buffers in the order of the spec's slots.


class Design:
    """What the designs have in common. Made once there is a toolchain."""

    def __init__(self, directory):
        import numpy
        from aie import iron
        from aie.iron.device import NPU2

        self.directory, self.numpy, self.iron = directory, numpy, iron
        self.device = NPU2()

    def array(self, shape, kind):
        import ml_dtypes

        kind = ml_dtypes.bfloat16 if kind == "bfloat16" else getattr(self.numpy, kind)
        return self.numpy.ndarray[shape if isinstance(shape, tuple) else (shape,), self.numpy.dtype[kind]]

    def core_function(self, name, types, call):
        """One instance of a template of kernels.hpp, which has BF16 as bits."""
        bits = {"bfloat16": "uint16"}
        const = ["const "] * (len(types) - 1) + [""]
        parameters = [f"{const[i]}std::{bits.get(kind, kind)}_t* p{i}" for i, (_, kind) in enumerate(types)]
        source = self.directory / f"{name}.cc"
        source.write_text(f'#include "{HERE}/kernels.hpp"\n'
                          f'extern "C" void {name}({", ".join(parameters)}) {{\n'
                          f'    aie_kernels::{call}({", ".join(f"p{i}" for i in range(len(types)))});\n}}\n')
        return self.iron.ExternalFunction(name, source_file=str(source),
                                          arg_types=[self.array(count, kind) for count, kind in types],
                                          compile_flags=["-fno-vectorize", "-fno-slp-vectorize"])

    def program(self, sequence, arguments, workers=()):
        runtime = self.iron.Runtime(sequence, arguments)
        return self.iron.Program(self.device, runtime, workers=list(workers)).resolve_program()

    def copy(self, elements, kind):
        """Through a memory tile, and no core."""
        line = min(elements, LINE)
        source = self.iron.ObjectFifo(self.array(line, kind), name="source")
        target = source.cons().forward(name="target")

        def sequence(x, y, into, out_of):
            into.fill(x)
            out_of.drain(y, wait=True)

        whole = self.array(elements, kind)
        return self.program(sequence, [whole, whole, source.prod(), target.cons()])

    def streamed(self, function, whole, lines, times):
        """A core that takes a line of each input and makes one of the output, so many times."""
        from aie.iron.controlflow import range_

        fifos = [self.iron.ObjectFifo(self.array(*line), name=f"slot{i}") for i, line in enumerate(lines)]

        def core(*parts):
            *handles, compute = parts
            for _ in range_(times):
                compute(*[handle.acquire(1) for handle in handles])
                for handle in handles:
                    handle.release(1)

        ends = [fifo.cons() for fifo in fifos[:-1]] + [fifos[-1].prod()]
        worker = self.iron.Worker(core, [*ends, function])

        def sequence(*parts):
            buffers, handles = parts[: len(fifos)], parts[len(fifos):]
            for buffer, handle in zip(buffers[:-1], handles[:-1]):
                handle.fill(buffer)
            handles[-1].drain(buffers[-1], wait=True)

        arguments = [self.array(*slot) for slot in whole]
        arguments += [fifo.prod() for fifo in fifos[:-1]] + [fifos[-1].cons()]
        return self.program(sequence, arguments, [worker])

    def in_core(self, name, slots, call):
        """Whole tensors, of which two of each have room in a core."""
        return self.streamed(self.core_function(name, slots, call), slots, slots, 1)

    def product(self, f, formats):
        """BF16, or FP8 that is widened tile by tile in the core, to FP32.

        Tiles of 32 by 64 and 64 by 32: the memory tile has them in the order of the matrix unit's
        operands, as the toolchain's product wants them, and takes the result back.
        """
        from aie.helpers.taplib import TensorAccessPattern, TensorTiler2D
        from aie.iron import Buffer, ObjectFifo, TaskGroup, Worker, kernels
        from aie.iron.controlflow import range_
        import ml_dtypes

        tm, tk, tn = 32, 64, 32
        m, k, n = f["m"], f["k"], f["n"]
        multiply = kernels.mm(dim_m=tm, dim_k=tk, dim_n=tn, input_dtype=ml_dtypes.bfloat16,
                              output_dtype=self.numpy.float32, vectorized=True)
        r, s, t = multiply.mac_dims
        stored = "uint8" if formats else "bfloat16"

        def operand(name, rows, columns, unit):
            order = TensorTiler2D.group_tiler((rows, columns), unit, (rows // unit[0], columns // unit[1]))[0]
            outer = ObjectFifo(self.array(rows * columns, stored), name=f"{name}_outer")
            return outer, outer.cons().forward(dims_to_stream=order.transformation_dims, name=f"{name}_inner")

        a_outer, a_inner = operand("a", tm, tk, (r, s))
        b_outer, b_inner = operand("b", tk, tn, (s, t))
        order = TensorAccessPattern(tensor_dims=(tm, tn), offset=0, sizes=[tm // r, r, tn // t, t],
                                    strides=[r * tn, t, r * t, 1])
        c_inner = ObjectFifo(self.array(tm * tn, "float32"), name="c_inner")
        c_outer = c_inner.cons().forward(dims_to_stream=list(order.transformation_dims), name="c_outer")

        widening = []
        for name, size, kind in zip("ab", (tm * tk, tk * tn), formats):
            function = self.core_function(f"widen_{name}", [(size, "uint8"), (size, "bfloat16")],
                                          f"cast<aie_kernels::{kind}_to_bf16, {size}>")
            widening += [function, Buffer(self.array(size, "bfloat16"), name=f"wide_{name}")]

        def core(a, b, c, compute, *wide):
            for _ in range_(m // tm * (n // tn)):
                out = c.acquire(1)
                for i in range_(tm * tn):
                    out[i] = 0
                for _ in range_(k // tk):
                    left, right = a.acquire(1), b.acquire(1)
                    if wide:
                        widen_a, wide_a, widen_b, wide_b = wide
                        widen_a(left, wide_a)
                        widen_b(right, wide_b)
                        compute(wide_a, wide_b, out)
                    else:
                        compute(left, right, out)
                    a.release(1)
                    b.release(1)
                c.release(1)

        worker = Worker(core, [a_inner.cons(), b_inner.cons(), c_inner.prod(), multiply, *widening])
        a_rows = TensorTiler2D.group_tiler((m, k), (tm, tk), (1, k // tk), pattern_repeat=n // tn)
        b_all = TensorTiler2D.group_tiler((k, n), (tk, tn), (k // tk, n // tn), tile_group_col_major=True)[0]
        c_rows = TensorTiler2D.group_tiler((m, n), (tm, tn), (1, n // tn))

        def sequence(a, b, c, a_in, b_in, c_out):
            for row in range(m // tm):
                group = TaskGroup()
                a_in.fill(a, tap=a_rows[row], group=group)
                b_in.fill(b, tap=b_all, group=group)
                c_out.drain(c, tap=c_rows[row], group=group, wait=True)
                group.finish()

        whole = [self.array((m, k), stored), self.array((k, n), stored), self.array((m, n), "float32")]
        return self.program(sequence, [*whole, a_outer.prod(), b_outer.prod(), c_outer.cons()], [worker])


def design(kind, f, directory):
    d = Design(directory)
    if kind in ("bf16-identity", "int8-identity"):
        return d.copy(f["elements"], "bfloat16" if kind == "bf16-identity" else "int8")
    if kind == "fp8-to-bf16":
        lines = [(LINE, "uint8"), (LINE, "bfloat16")]
        function = d.core_function("compute", lines, f"cast<aie_kernels::{f['format']}_to_bf16, {LINE}>")
        whole = [(f["elements"], type) for _, type in lines]
        return d.streamed(function, whole, lines, f["elements"] // LINE)
    if kind in ("bf16-matmul", "fp8-matmul"):
        return d.product(f, [f["a"], f["b"]] if kind == "fp8-matmul" else [])
    if kind == "int8-matmul":
        m, k, n = f["m"], f["k"], f["n"]
        slots = [(words(m * k), "int8"), (words(k * n), "int8"), (m * n, "int32")]
        return d.in_core("compute", slots, f"int8_matmul<{m}, {k}, {n}, {f['a_zero']}, {f['b_zero']}>")
    if kind == "int32-to-int8-rescale":
        slots = [(f["elements"], "int32"), (words(f["elements"]), "int8")]
        return d.in_core("compute", slots, "rescale<{elements}, {multiplier}, {shift}, {output_zero}>".format(**f))
    inputs, outputs = pool_bytes(f)
    slots = [(inputs[0] // 2, "bfloat16"), (outputs[0] // 2, "bfloat16")]
    return d.in_core("compute", slots, "max_pool<aie_kernels::Pool{{{}}}>".format(", ".join(str(f[k]) for k in POOL)))


def make(kind, fields, directory):
    set_up()
    try:
        module = design(kind, fields, directory)
    except Exception as error:
        raise Failed("template", traceback.format_exc()) from error
    try:
        from aie.iron.device import NPU2
        from aie.utils.compile import compile_mlir_module

        # Folded: DDR addresses as XRT has them. It is what the container says of instructions.
        compile_mlir_module(module, insts_path=str(directory / "instructions.bin"),
                            xclbin_path=str(directory / "kernel.xclbin"), work_dir=str(directory), device=NPU2(),
                            fold_ddr_addr_offset=True)
    except Exception as error:
        raise Failed("compile", traceback.format_exc()) from error
    if not all((directory / name).is_file() for name in ("kernel.xclbin", "instructions.bin")):
        raise Failed("package", "the toolchain has left no kernel")


# ---- The contract


def compile_in(directory):
    result = {"schema": SCHEMA, "ok": False}
    try:
        kind, fields, inputs, outputs = read_spec(directory)
        found = versions()
        if found is None:
            return EXIT_TOOLCHAIN_MISSING
        make(kind, fields, directory)
        result.update(ok=True, stage="done", entry="MLIR_AIE", versions=found, input_bytes=inputs,
                      output_bytes=outputs)
    except Failed as failed:
        result.update(stage=failed.stage, message=str(failed)[-4096:])
    (directory / "result.json").write_text(json.dumps(result))
    return 0


def main(arguments):
    if arguments == ["--versions"]:
        found = versions()
        if found is None:
            print("aie-compiler.py: no mlir_aie, llvm-aie or xclbinutil", file=sys.stderr)
            return EXIT_TOOLCHAIN_MISSING
        print(json.dumps({"schema": SCHEMA, "versions": found}))
        return 0
    if len(arguments) == 2 and arguments[0] == "--check":
        try:
            print(*read_spec(Path(arguments[1])))
            return 0
        except Failed as failed:
            print(f"{failed.stage}: {failed}")
            return 1
    if len(arguments) == 1 and not arguments[0].startswith("-"):
        return compile_in(Path(arguments[0]).resolve())
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
