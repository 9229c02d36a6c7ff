#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What programs that were built against uapi/drm/virtio_accel.h rely on.

    abi.py source            C and C++ whose section .abi holds every number of the header
    abi.py dump VALUES       those numbers, as a compiler computed them, with their names
    abi.py missing DOCUMENT  what the header has and the document does not, or in another order

The compiler's object is read and never run, so that every compiler and word size can be asked.
"""
import re
import struct
import sys

HEADER = "uapi/drm/virtio_accel.h"
INTRODUCTION = """\
# SPDX-License-Identifier: MIT
# The binary interface of uapi/drm/virtio_accel.h. `make lint` compares, `make abi` writes.
# ioctl NUMBER NAME; constant VALUE NAME; struct SIZE NAME and its fields: OFFSET SIZE TYPE NAME
"""


class Header:
    def __init__(self):
        with open(HEADER, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        defined = re.findall(r"^#define (DRM_\w+)[ \t]+\S", text, re.M)
        self.ioctls = [name for name in defined if name.startswith("DRM_IOCTL_")]
        self.constants = [name for name in defined if not name.startswith("DRM_IOCTL_")]
        bodies = re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S)
        # [(struct, [(type, field, dimension)])]
        self.structs = [(name, re.findall(r"^\t([\w ]+) (\w+)(\[\w+\])?;$", body, re.M))
                        for name, body in bodies]

    def expressions(self):
        """In the order in which dump() takes their values."""
        yield from self.ioctls
        yield from self.constants
        for name, fields in self.structs:
            yield f"sizeof(struct {name})"
            for _, field, _ in fields:
                yield f"offsetof(struct {name}, {field})"
                yield f"sizeof(((struct {name} *)0)->{field})"


def source(header):
    # The header comes first: it must need nothing before it.
    yield "#include <drm/virtio_accel.h>"
    yield "#include <stddef.h>"
    yield "extern const unsigned long long values[];"
    yield '__attribute__((section(".abi"))) const unsigned long long values[] = {'
    yield from (f"\t{expression}," for expression in header.expressions())
    yield "};"


def dump(header, path):
    with open(path, "rb") as file:
        values = [value for value, in struct.iter_unpack("<Q", file.read())]
    if len(values) != len(list(header.expressions())):
        sys.exit(f"{path}: not the values of this header")
    take = iter(values).__next__
    yield INTRODUCTION
    yield from (f"ioctl {take():08x} {name}" for name in header.ioctls)
    yield ""
    yield from (f"constant {take():#x} {name}" for name in header.constants)
    for name, fields in header.structs:
        size = take()
        yield f"\nstruct {size} {name}"
        end = 0
        for type_, field, dimension in fields:
            offset, bytes_ = take(), take()
            yield f"\t{offset} {bytes_} {type_} {field}{dimension}"
            # A hole leaks memory of the kernel, and differs between word sizes.
            if offset != end:
                sys.exit(f"struct {name}: a hole before {field}")
            end = offset + bytes_
        if end != size:
            sys.exit(f"struct {name}: a hole at the end")


def missing(header, path):
    """Each struct has a heading with its name, and below it a table of its fields."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    words = set(re.findall(r"\w+", text))
    for name in header.ioctls + header.constants:
        if name not in words:
            yield f"{path}: no {name}"
    sections = dict(re.findall(r"^#+ .*?`struct (\w+)`.*?\n(.*?)(?=^#|\Z)", text, re.M | re.S))
    for name, fields in header.structs:
        rows = re.findall(r"^\| `([a-z0-9_]+)` \|", sections.pop(name, ""), re.M)
        if rows != [field for _, field, _ in fields]:
            yield f"{path}: the table of struct {name} has not its fields: {', '.join(rows) or 'none'}"
    yield from (f"{path}: there is no struct {name}" for name in sections)


commands = {"source": source, "dump": dump, "missing": missing}
for line in commands[sys.argv[1]](Header(), *sys.argv[2:]):
    print(line)
