"""Runs a command on a pseudo-terminal of its own: on-a-terminal.py COLUMNS LINES COMMAND [ARGUMENT...]

What the command shows comes out on stdout, what comes in on stdin is typed. "COLUMNS LINES" on descriptor 3 gives the
window another size. Ends with the command's exit code.
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
            shown = os.read(terminal, 65536)
        except OSError:  # Linux says EIO where the other end has gone
            shown = b""
        if shown:
            os.write(1, shown)
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
        typed = os.read(0, 65536)
        if typed:
            os.write(terminal, typed)
        else:  # The test has gone, as one does that fails: its terminal is closed, as a window would be.
            sources.remove(0)
            os.kill(pid, signal.SIGHUP)

sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
