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
