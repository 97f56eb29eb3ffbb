#!/usr/bin/env python3
"""The language server through its protocol: a project of two files and a document of its own, edits, broken requests."""
import json, pathlib, subprocess, sys, time

from checking import check, finish

CAIRN = sys.argv[1]


class Client:
    def __init__(self):
        self.server = subprocess.Popen([CAIRN, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number, self.notes = 0, []

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def receive(self):
        length = None
        while (line := self.server.stdout.readline().strip()) or length is None:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.server.stdout.read(length))

    def ask(self, method, **params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.number:
            if "params" in message:
                self.notes.append(message)
        return message.get("result") if "error" not in message else message["error"]

    def note(self, method, **params):
        self.send({"method": method, "params": params})

    def diagnostics(self, uri):
        """What was last published for a document, after everything asked so far."""
        self.ask("textDocument/formatting", textDocument={"uri": "file:///not/open.cairn"})
        last = [note["params"]["diagnostics"] for note in self.notes if note["params"]["uri"] == uri]
        return last[-1] if last else None


folder = pathlib.Path("project").resolve()
(folder / "src").mkdir(parents=True)
(folder / "cairn.toml").write_text('[project]\nname = "shapes"\nsources = ["src/geo.cairn", "src/main.cairn"]\n')
GEO = "module geo;\n\n// A point of the plane.\npub struct Point { x:f64; y:f64; }\n\n// The square of its distance from the origin.\npub fn norm(p:Point) -> f64 = p.x * p.x + p.y * p.y;\n"
MAIN = "import geo;\n\nfn main() -> i32 {\n  let p = geo.Point(3.0, 4.0);\n  let far = geo.norm(p);\n  println(far, \" \", p.x);\n  return 0;\n}\n"
(folder / "src" / "geo.cairn").write_text(GEO)
(folder / "src" / "main.cairn").write_text(MAIN)
main, geo = (f"file://{folder}/src/{name}.cairn" for name in ("main", "geo"))


def at(text, piece, inside=0):
    offset = text.index(piece) + inside
    before = text[:offset]
    return {"line": before.count("\n"), "character": offset - (before.rfind("\n") + 1)}


def where(text, piece, inside=0):
    return {"textDocument": {"uri": main}, "position": at(text, piece, inside)}


client = Client()
answer = client.ask("initialize", processId=None, rootUri=None, capabilities={})
check("initialize tells what the server can", answer["capabilities"]["hoverProvider"] is True, answer)
client.note("initialized")
client.note("textDocument/didOpen", textDocument={"uri": main, "languageId": "cairn", "version": 1, "text": MAIN})
check("an accepted project has no diagnostics", client.diagnostics(main) == [], client.notes)
hover = client.ask("textDocument/hover", **where(MAIN, "norm(p)"))
check("hover shows a function's signature, row and comment", "pub fn norm(p:Point) -> f64" in hover["contents"]["value"] and "square of its distance" in hover["contents"]["value"] and "effects:" in hover["contents"]["value"], hover)
check("hover shows a local's type", "far:f64" in client.ask("textDocument/hover", **where(MAIN, "far, "))["contents"]["value"])
place = client.ask("textDocument/definition", **where(MAIN, "norm(p)"))
check("the definition of a name of another module is in its file", place["uri"] == geo and place["range"]["start"] == at(GEO, "norm"), place)
place = client.ask("textDocument/definition", **where(MAIN, "p.x", 2))
check("the definition of a field is in its record", place["uri"] == geo and place["range"]["start"] == at(GEO, "x:f64"), place)
names = [symbol["name"] for symbol in client.ask("textDocument/documentSymbol", textDocument={"uri": main})]
check("the outline lists declarations", names == ["main"], names)
found = client.ask("textDocument/references", **where(MAIN, "norm(p)"), context={"includeDeclaration": True})
check("references are found in every file", sorted(use["uri"] for use in found) == [geo, main], found)
labels = [item["label"] for item in client.ask("textDocument/completion", **where(MAIN, "geo.norm", 4))]
check("completion after a module lists what it exports", "norm" in labels and "Point" in labels and "let" not in labels, labels)
help_ = client.ask("textDocument/signatureHelp", **where(MAIN, "norm(p)", 5))
check("signature help names the parameters", help_["signatures"][0]["parameters"] == [{"label": "p"}], help_)
edits = client.ask("textDocument/rename", **where(MAIN, "far ="), newName="distance")
check("a local is renamed everywhere", len(edits["changes"][main]) == 2, edits)
refused = client.ask("textDocument/rename", **where(MAIN, "far ="), newName="p")
check("a rename that makes another program is refused", refused.get("code") == -32803, refused)

client.note("textDocument/didChange", textDocument={"uri": main, "version": 2}, contentChanges=[{"range": {"start": at(MAIN, "far, "), "end": at(MAIN, "far, ", 3)}, "text": "fär"}])
client.note("textDocument/didChange", textDocument={"uri": main, "version": 3}, contentChanges=[{"range": {"start": at(MAIN, "far, "), "end": at(MAIN, "far, ", 3)}, "text": "gone"}])
wrong = client.diagnostics(main)
check("an edit that breaks the program is told at its token", [(d["code"], d["range"]["start"], d["range"]["end"]) for d in wrong] == [("E-UNBOUND", at(MAIN, "far, "), at(MAIN, "far, ", 4))], wrong)
hover = client.ask("textDocument/hover", **where(MAIN, "geo.norm", 4))
check("meaning comes from the last text that was accepted", hover is not None and "norm" in hover["contents"]["value"], hover)
broken = GEO.replace("p.y * p.y", "p.z * p.z")
client.note("textDocument/didChange", textDocument={"uri": main, "version": 4}, contentChanges=[{"text": MAIN}])
client.note("textDocument/didOpen", textDocument={"uri": geo, "languageId": "cairn", "version": 1, "text": broken})
check("an unsaved buffer of the project is what is checked", [d["code"] for d in client.diagnostics(geo)] == ["E-FIELD"], client.diagnostics(geo))
client.note("textDocument/didChange", textDocument={"uri": geo, "version": 2}, contentChanges=[{"text": GEO}])
check("a mended buffer clears its diagnostics", client.diagnostics(geo) == [], client.diagnostics(geo))

found = client.ask("workspace/symbol", query="NOR")
check("symbols of the workspace are found by a part of their name, in any letters", [(s["name"], s["location"]["uri"]) for s in found] == [("norm", geo)], found)
tokens = client.ask("textDocument/semanticTokens/full", textDocument={"uri": geo})["data"]
kinds = answer["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
line = column = 0
words = []
for k in range(0, len(tokens), 5):
    line, column = line + tokens[k], tokens[k + 1] + (column if tokens[k] == 0 else 0)
    words.append((GEO.splitlines()[line][column : column + tokens[k + 2]], kinds[tokens[k + 3]]))
check("every word has a kind", {("fn", "keyword"), ("norm", "function"), ("p", "parameter"), ("x", "property"), ("Point", "type"), ("f64", "type")} <= set(words), words)
everything = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
hints = client.ask("textDocument/inlayHint", textDocument={"uri": main}, range=everything)
check("a bare let shows its type, and a function without a row the one it has", ":f64" in [h["label"] for h in hints if h["position"] == at(MAIN, "far =", 3)] and any(h["label"].startswith("effects(") for h in hints), hints)
lenses = client.ask("textDocument/codeLens", textDocument={"uri": main})
check("main can be run from where it stands", [(l["command"]["title"], l["range"]["start"]["line"]) for l in lenses if l["command"]["title"] == "Run"] != [], lenses)


def mended(text, *titles):
    """The document after the one action that is offered for it, whose title is one of these."""
    uri = "file:///nowhere/mend.cairn"
    client.note("textDocument/didOpen", textDocument={"uri": uri, "languageId": "cairn", "version": 1, "text": text})
    offered = client.ask("textDocument/codeAction", textDocument={"uri": uri}, range=everything, context={"diagnostics": []})
    client.note("textDocument/didClose", textDocument={"uri": uri})
    if not titles or [action["title"] for action in offered] != list(titles):
        return f"offered: {offered}"
    edit = offered[0]["edit"]["changes"][uri][0]
    lines = text.splitlines(keepends=True)
    begin = sum(map(len, lines[: edit["range"]["start"]["line"]])) + edit["range"]["start"]["character"]
    return text[:begin] + edit["newText"] + text[begin:]


got = mended("fn f() -> u64 {\n  let k = 1;\n  k = 2;\n  return k;\n}\n", "make k mutable")
check("a let that is written is offered as let mut", "  let mut k = 1;\n" in got, got)
got = mended("fn f() -> usize {\n  let v = vec.new[u8]();\n  return v.len;\n}\n", "import std.vec")
check("a module that is named and not imported is offered", got.startswith("import std.vec;\nfn f()"), got)
got = mended("fn f(v:ro<Vec[u8]>) -> usize = v.len;\n", "import std.vec (Vec)")
check("a type of the library is offered by the module that exports it", got.startswith("import std.vec (Vec);\n"), got)
got = mended("enum C { Red; Blue; }\nfn f(c:C) -> u64 {\n  let mut k:u64 = 0;\n  match c {\n    Red => { k = 1; }\n  }\n  return k;\n}\n", "add the missing arms")
check("arms that are missing are offered", "Blue => { }" in got, got)
got = mended("fn f() -> u64 { return gone; }\n")
check("what no edit mends is offered none", got == "offered: []", got)

alone = "file:///nowhere/alone.cairn"
client.note("textDocument/didOpen", textDocument={"uri": alone, "languageId": "cairn", "version": 1, "text": "fn   f( )->u64{return 1;}\n"})
check("a document that no manifest lists stands alone", client.diagnostics(alone) == [])
edits = client.ask("textDocument/formatting", textDocument={"uri": alone}, options={})
check("formatting gives the one layout", edits[0]["newText"] == "fn f() -> u64 { return 1; }\n", edits)

check("an unknown request is answered with an error", client.ask("textDocument/nothing").get("code") == -32601)
client.send({"id": 999})
client.server.stdin.write(b"Content-Length: 3\r\n\r\n[1}")
client.server.stdin.flush()
check("the server goes on after a message that is none", client.ask("textDocument/documentSymbol", textDocument={"uri": main}) is not None)

big = "".join(f"fn f{k}(x:u64) -> u64 {{\n  let y = x + {k};\n  return y * 2;\n}}\n" for k in range(2500))
uri = "file:///nowhere/big.cairn"
client.note("textDocument/didOpen", textDocument={"uri": uri, "languageId": "cairn", "version": 1, "text": big})
client.diagnostics(uri)
times = []
for version in range(2, 12):
    start = time.perf_counter()
    client.note("textDocument/didChange", textDocument={"uri": uri, "version": version}, contentChanges=[{"range": {"start": {"line": 1, "character": 14}, "end": {"line": 1, "character": 15}}, "text": str(version % 10)}])
    client.diagnostics(uri)
    times.append(time.perf_counter() - start)
print(f"an edit in a document of 10,000 lines is judged in {sorted(times)[5] * 1e3:.0f} ms")
check("shutdown is answered and exit ends the server", client.ask("shutdown") is None)
client.note("exit")
check("the status is 0 after a shutdown", client.server.wait(30) == 0)
check("nothing else came from the server", client.server.stderr.read() == b"")
finish()
