#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""qmp.py SOCKET: passes on what a guest prints, and does what it asks QEMU for.

A line "# qmp COMMAND ARGUMENTS", the latter a JSON object or nothing, is executed; the answer
follows it as a comment. The guest finds out by itself when the effect is there.
"""

import json
import socket
import sys

# A command that can only be given, or is only done, at an event.
BEFORE = {"system_wakeup": "SUSPEND"}
AFTER = {"device_del": "DEVICE_DELETED"}
# A guest that is stopped cannot ask to go on.
THEN = {"stop": "cont"}


class Monitor:
    def __init__(self, path):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        self.stream = connection.makefile("rw")
        self.execute("qmp_capabilities", {})

    def read_until(self, wanted):
        for line in self.stream:
            message = json.loads(line)
            if wanted(message):
                return message
        raise EOFError("QEMU is gone")

    def wait_for(self, event):
        if event:
            self.read_until(lambda message: message.get("event") == event)

    def execute(self, command, arguments):
        self.wait_for(BEFORE.get(command))
        json.dump({"execute": command, "arguments": arguments}, self.stream)
        self.stream.flush()
        answer = self.read_until(lambda message: message.keys() & {"return", "error"})
        if "return" in answer:
            self.wait_for(AFTER.get(command))
        return answer


def main():
    monitor = None
    for line in sys.stdin:
        print(line, end="", flush=True)
        if not line.startswith("# qmp "):
            continue
        monitor = monitor or Monitor(sys.argv[1])
        command, _, arguments = line.removeprefix("# qmp ").strip().partition(" ")
        answer = monitor.execute(command, json.loads(arguments or "{}"))
        if command in THEN:
            answer = monitor.execute(THEN[command], {})
        print("#", json.dumps(answer), flush=True)


main()
