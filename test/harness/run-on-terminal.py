"""Runs a command on a new pseudo-terminal: run-on-terminal.py COLUMNS LINES COMMAND [ARGUMENT...]

The output of the command is written to stdout, and bytes from stdin are sent to it as keys. "COLUMNS LINES" on descriptor 3 resizes the
window. Ends with the command's exit code.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

columns, lines, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    os.execvp(command[0], command)

sources = [terminal, 0, 3]
while terminal in sources:
    ready, _, _ = select.select(sources, [], [])
    if terminal in ready:
        try:
            output = os.read(terminal, 65536)
        except OSError:  # Linux reports EIO if the other end is closed
            output = b""
        if output:
            os.write(1, output)
        else:
            sources.remove(terminal)
    if 3 in ready:
        sizes = os.read(3, 4096).split()
        if len(sizes) >= 2:
            size = struct.pack("HHHH", int(sizes[-1]), int(sizes[-2]), 0, 0)
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        else:
            sources.remove(3)
    if 0 in ready:
        keys = os.read(0, 65536)
        if keys:
            os.write(terminal, keys)
        else:  # The test has ended, for example by a failure: closes its terminal like a window.
            sources.remove(0)
            os.kill(pid, signal.SIGHUP)

sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
