#!/usr/bin/env python3
"""std.net against a real peer on the loopback: a server and a client in the language, each against Python's sockets."""
import pathlib, random, socket, subprocess, sys, threading

from checking import check, finish

CAIRN, HERE = sys.argv[1], pathlib.Path(__file__).resolve().parent
PROGRAM = [CAIRN, "run", HERE / "sockets.cairn", "--"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def talk(port, data):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as peer:
        heard = []

        def listen():
            while piece := peer.recv(65536):
                heard.append(piece)

        listener = threading.Thread(target=listen)
        listener.start()
        peer.sendall(data)
        peer.shutdown(socket.SHUT_WR)
        listener.join(60)
        return b"".join(heard)


messages = [b"", b"hello\n", bytes(random.Random(5).choices(b"abcdefghijklmnopqrstuvwxyz \n", k=3_000_000))]
port = free_port()
server = subprocess.Popen([*PROGRAM, "serve", str(port), str(len(messages))], stdout=subprocess.PIPE)
server.stdout.readline()
for data in messages:
    check(f"a server answers a peer that sends {len(data)} bytes", talk(port, data) == data.upper())
status = server.wait(60)
check("a server ends when it has answered all", (status, server.stdout.read()) == (0, b"%d bytes\n" % sum(map(len, messages))), f"status {status}")

peer = socket.socket()
peer.bind(("127.0.0.1", 0))
peer.listen()


def echo():
    session, _ = peer.accept()
    with session:
        while piece := session.recv(777):
            session.sendall(piece)


thread = threading.Thread(target=echo)
thread.start()
done = subprocess.run([*PROGRAM, "ask", str(peer.getsockname()[1])], input=b"to a real peer\n" * 1000, capture_output=True, timeout=60)
thread.join(60)
check("a client hears back what a peer echoes", (done.returncode, done.stdout) == (0, b"to a real peer\n" * 1000), f"status {done.returncode}")
refused = subprocess.run([*PROGRAM, "ask", str(free_port())], input=b"x", capture_output=True, timeout=60)
check("connecting to nobody is errno 111", refused.returncode == 111, f"status {refused.returncode}")
taken = subprocess.run([*PROGRAM, "serve", str(peer.getsockname()[1]), "1"], capture_output=True, timeout=60)
check("listening on a port in use is errno 98", taken.returncode == 98, f"status {taken.returncode}")
peer.close()
finish()
