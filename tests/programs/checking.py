"""What every script of this folder needs: a folder to write in, checks that are counted, and the closing line."""
import os, sys, tempfile

# A script stands in an empty folder of its own, which goes when it ends; the program it is given is found from there too.
sys.argv[1:2] = map(os.path.realpath, sys.argv[1:2])
_folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
os.chdir(_folder.name)

_counts = [0, 0]


def check(name, holds, why=""):
    """Counts one test, whose name is a sentence. Gives back whether it held."""
    _counts[0 if holds else 1] += 1
    if not holds:
        print(f"FAIL {name}: {why}", flush=True)
    return bool(holds)


def finish(note=""):
    """Prints the closing line and ends the script."""
    if note:
        print(note)
    print(f"{_counts[0]} passed, {_counts[1]} failed")
    sys.exit(_counts[1] != 0)
