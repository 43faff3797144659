"""Runs a command on a terminal that no process reads: unread-terminal.py SIGNAL COMMAND [ARGUMENT...]

Sends the signal to the command when the terminal is full. Prints the exit code of the command.
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

# The terminal is full if no bytes were added for half a second.
def unread_bytes():
    return struct.unpack("i", fcntl.ioctl(terminal, termios.FIONREAD, b"\0\0\0\0"))[0]

before, since = -1, time.monotonic()
while time.monotonic() - since < 0.5:
    now = unread_bytes()
    if now != before or now == 0:
        before, since = now, time.monotonic()
    time.sleep(0.02)

os.kill(pid, signal)
_, status = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(status))
