"""Runs a command in a pseudo-terminal: python3 pseudo-terminal.py <columns> <command...>

Its output goes to standard output, its exit code is that of the command. Lines of standard input are orders: `resize <columns>` changes
the width right after the next output, and marks the place in the output with ESC ] columns BEL; `interrupt` types Ctrl-C;
`type <JSON string>` types a text.
"""

import fcntl, json, os, pty, select, struct, sys, termios


def set_columns(descriptor, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


child, terminal = pty.fork()
if child == 0:
    set_columns(0, int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])

orders = []
orders_open = True
while True:
    while orders and orders[0][0] in ("interrupt", "type"):
        order = orders.pop(0)
        os.write(terminal, b"\x03" if order[0] == "interrupt" else json.loads(order[1]).encode())
    readable, _, _ = select.select([terminal] + ([0] if orders_open else []), [], [])
    if terminal in readable:
        try:
            output = os.read(terminal, 65536)
        except OSError:
            break
        if not output:
            break
        os.write(1, output)
        if orders:
            columns = int(orders.pop(0)[1])
            os.write(1, b"\x1b]%d\x07" % columns)
            set_columns(terminal, columns)
    elif 0 in readable:
        lines = os.read(0, 1000).decode().splitlines()
        orders_open = lines != []
        orders += [line.split(None, 1) for line in lines]
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
