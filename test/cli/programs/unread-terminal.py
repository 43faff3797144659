"""Runs a command on a terminal that nobody reads: unread-terminal.py SIGNAL COMMAND [ARGUMENT...]

Once the terminal is full, the command gets the signal. Says its exit code.
"""

import fcntl
import os
import pty
import struct
import sys
import termios
import time

signal, command = int(sys.argv[1]), sys.argv[2:]

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)

# Full when nothing has been added for half a second.
def held():
    return struct.unpack("i", fcntl.ioctl(terminal, termios.FIONREAD, b"\0\0\0\0"))[0]

before, since = -1, time.monotonic()
while time.monotonic() - since < 0.5:
    now = held()
    if now != before or now == 0:
        before, since = now, time.monotonic()
    time.sleep(0.02)

os.kill(pid, signal)
_, status = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(status))
