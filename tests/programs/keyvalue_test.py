#!/usr/bin/env python3
"""The key-value store of examples/keyvalue is killed 200 times while it writes and loses nothing it acknowledged; a log
cut at any byte of its last record, or with a byte of it changed, opens to what stood before it."""
import pathlib, random, subprocess, sys, time

from checking import check, finish

CAIRN, ROOT = sys.argv[1], pathlib.Path(__file__).resolve().parent.parent.parent


def start(log):
    return subprocess.Popen([CAIRN, "run", ROOT / "examples/keyvalue/keyvalue.cairn", "--", log], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1)


def ask(log, lines):
    done = subprocess.run([CAIRN, "run", ROOT / "examples/keyvalue/keyvalue.cairn", "--", log], input="".join(f"{line}\n" for line in lines),
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.splitlines()


def killed_while_writing():
    """200 kills; after each, the next start must know every acknowledged value, and of the one value in flight either
    the old or the new."""
    log, held, number, rng = "killed.log", {}, 0, random.Random(7)
    for kill in range(200):
        store = start(log)
        flight, acknowledged = None, 0
        for _ in range(rng.randrange(1, 30)):
            number += 1
            flight = (f"key{rng.randrange(20)}", f"value {number} " + "x" * rng.randrange(200))
            store.stdin.write(f"set {flight[0]} {flight[1]}\n")
            store.stdin.flush()
            if rng.random() < 0.1:
                break  # killed with the answer not yet read
            if store.stdout.readline() != "ok\n":
                return False, f"no acknowledgement before kill {kill}"
            held[flight[0]], flight, acknowledged = flight[1], None, acknowledged + 1
        if rng.random() < 0.5:
            time.sleep(rng.uniform(0, 0.003))
        store.kill()
        store.communicate()
        status, answers = ask(log, [f"get {key}" for key in sorted(held)] + ([f"get {flight[0]}"] if flight else []))
        if status != 0:
            return False, f"the start after kill {kill} ended with status {status}"
        for key, answer in zip(sorted(held), answers):
            if answer != held[key] and not (flight and key == flight[0] and answer == flight[1]):
                return False, f"after kill {kill}, {key} is {answer[:40]!r} and {held[key][:40]!r} was acknowledged"
        if flight and answers[-1] == flight[1]:
            held[flight[0]] = flight[1]
    return number > 200, f"only {number} writes"


def torn_tail():
    ask("whole.log", ["set a first", "set b second"])
    before = pathlib.Path("whole.log").read_bytes()
    ask("whole.log", ["set a third and last"])
    whole = pathlib.Path("whole.log").read_bytes()
    for cut in range(len(before), len(whole)):
        pathlib.Path("torn.log").write_bytes(whole[:cut])
        status, answers = ask("torn.log", ["get a", "set c more", "get c"])
        if (status, answers) != (0, ["first", "ok", "more"]):
            return False, f"cut at {cut}: status {status}, {answers}"
        if not pathlib.Path("torn.log").read_bytes().startswith(before):
            return False, f"cut at {cut}: the whole records changed"
    for at in range(len(before), len(whole)):
        changed = bytearray(whole)
        changed[at] ^= 0x40
        pathlib.Path("torn.log").write_bytes(changed)
        status, answers = ask("torn.log", ["get a", "get b"])
        if (status, answers) != (0, ["first", "second"]):
            return False, f"byte {at} changed: status {status}, {answers}"
    return True, ""


check("a store killed 200 times while it writes loses no acknowledged write", *killed_while_writing())
check("a log whose last record is torn or damaged opens to what stood before it", *torn_tail())
finish()
