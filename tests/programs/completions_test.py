#!/usr/bin/env python3
"""Completions in the shells themselves: bash offers what `cairn COMMAND --help` lists, and the words of closed lists in both
spellings of an option; zsh reads its script and takes every option from it."""
import pathlib, re, shlex, shutil, subprocess, sys

from checking import check, finish

CAIRN = pathlib.Path(sys.argv[1])


def cairn(*words):
    return subprocess.run([CAIRN, *words], capture_output=True, text=True, timeout=60).stdout


def listed(text):
    """What stands first in the indented lines of help: names of commands or of options."""
    return re.findall(r"^  (\S+)", text, re.M)


def offered(asked):
    """What bash offers for each list of words, the last of which is the one being typed."""
    script = cairn("completions", "bash")
    for words in asked:
        script += f"COMP_WORDS=({' '.join(shlex.quote(word) for word in words)}); COMP_CWORD={len(words) - 1}; _cairn\n"
        script += 'echo "${COMPREPLY[*]}"\n'
    done = subprocess.run(["bash", "--norc"], input=script, capture_output=True, text=True, timeout=60)
    check("bash runs its script in silence", done.returncode == 0 and not done.stderr, done.stderr)
    return [line.split() for line in done.stdout.split("\n")[:len(asked)]]


COMMANDS = listed(cairn("--help").split("Commands:\n")[1])
check("help lists the commands", len(COMMANDS) > 20, COMMANDS)
OPTIONS = {command: listed(cairn(command, "--help")) for command in COMMANDS}
TIERS = ["interpreter", "baseline", "optimizing", "auto"]
if shutil.which("bash"):
    asked = [["cairn", ""], ["cairn", "ver"], ["cairn", "run", "--tier", ""], ["cairn", "run", "--tier", "="],
             ["cairn", "run", "--tier", "=", "b"], ["cairn", "check", "--tier", "="], ["cairn", "completions", ""]]
    answers = offered(asked + [["cairn", command, "--"] for command in COMMANDS])
    check("commands are offered", sorted(answers[0]) == sorted(COMMANDS + ["--version", "--help"]), answers[0])
    check("a command begun is offered whole", answers[1] == ["verify"], answers[1])
    check("words of a closed list are offered", answers[2] == TIERS, answers[2])
    check("so they are behind =", answers[3] == TIERS and answers[4] == ["baseline"], answers[3:5])
    check("an option that the command has not has no words", not set(answers[5]) & set(TIERS), answers[5])
    check("operands of a closed list are offered", answers[6] == ["bash", "zsh"], answers[6])
    for command, options in zip(COMMANDS, answers[len(asked):]):
        check(f"the options of {command} are offered", sorted(options) == sorted(OPTIONS[command]), options)
if shutil.which("zsh"):
    # _arguments and _describe belong to zsh's completion system: here they print what they are given.
    script = ("_arguments() { print -rl -- \"$@\"; }\n_describe() { print -rl -- $names; }\n_cairn() { :; }\n"
              + cairn("completions", "zsh").replace('_cairn "$@"\n', ""))
    for command in COMMANDS:
        script += f'words=(cairn {command} ""); CURRENT=3; _cairn; print -r -- "end of {command}"\n'
    script += 'words=(cairn ""); CURRENT=2; _cairn\n'
    done = subprocess.run(["zsh", "-f"], input=script, capture_output=True, text=True, timeout=60)
    check("zsh runs its script in silence", done.returncode == 0 and not done.stderr, done.stderr)
    rest = done.stdout
    for command in COMMANDS:
        said, _, rest = rest.partition(f"end of {command}\n")
        options = re.findall(r"^\*?(--[a-z-]+)=?\[", said, re.M)
        check(f"zsh offers the options of {command}", sorted(options) == sorted(OPTIONS[command]), said)
    check("zsh offers the commands", re.findall(r"^(\S+?):", rest, re.M) == COMMANDS + ["--version", "--help"], rest)
finish()
