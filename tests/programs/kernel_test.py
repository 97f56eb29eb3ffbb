#!/usr/bin/env python3
"""The Jupyter kernel through its protocol: a client of our own over libzmq (ctypes), and jupyter_client where it is."""
import base64, ctypes, ctypes.util, hashlib, hmac, importlib.util, json, os, pathlib, signal, socket, struct, subprocess, sys, threading, time, uuid, zlib

from checking import check, finish

CAIRN = sys.argv[1]
os.environ.pop("CAIRN_SHOT", None)

# ---------------------------------------------------------------------------------------------------- installing
prefix = pathlib.Path("prefix").resolve()
done = subprocess.run([CAIRN, "kernel", "--install", "--prefix", prefix], capture_output=True, text=True, timeout=60)
folder = prefix / "share" / "jupyter" / "kernels" / "cairn"
check("the kernel is installed with one command, which says where", (done.returncode, done.stdout) == (0, f"installed: {folder}\n"), done)
specification = json.loads((folder / "kernel.json").read_text())
check("the specification starts this program", specification["argv"] == [CAIRN, "kernel", "--connection", "{connection_file}"] and specification["language"] == "cairn", specification)
home = pathlib.Path("home").resolve()
home.mkdir(exist_ok=True)
environment = {key: value for key, value in os.environ.items() if key not in ("JUPYTER_DATA_DIR", "XDG_DATA_HOME")}
done = subprocess.run([CAIRN, "kernel", "--install"], capture_output=True, text=True, timeout=60, env={**environment, "HOME": str(home)})
check("without a prefix it is the user's Jupyter data folder", done.stdout == f"installed: {home}/.local/share/jupyter/kernels/cairn\n", done)
for arguments in ((), ("--install", "--connection", "x"), ("--connection", "x", "--prefix", "y")):
    done = subprocess.run([CAIRN, "kernel", *arguments], capture_output=True, text=True, timeout=60)
    check(f"exactly one of --install and --connection is given: {arguments}", (done.returncode, done.stdout) == (2, ""), done)
pathlib.Path("odd.json").write_text('{"shell_port": "none"}')
for file in ("odd.json", "absent.json"):
    done = subprocess.run([CAIRN, "kernel", "--connection", file], capture_output=True, text=True, timeout=60)
    check(f"{file} is no connection file, and that is said", done.returncode == 2 and "unknown[E-PROJECT-OR-ENVIRONMENT]" in done.stderr, done)

# ---------------------------------------------------------------------------------------------------- a client
try:
    zmq = ctypes.CDLL("libzmq.so.5")
except OSError:
    finish("libzmq is not installed: the kernel's protocol is not checked")
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = zmq.zmq_msg_data.restype = ctypes.c_void_p
zmq.zmq_msg_size.restype = ctypes.c_size_t
zmq.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
zmq.zmq_connect.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
zmq.zmq_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
zmq.zmq_setsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
zmq.zmq_getsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
zmq.zmq_msg_recv.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
for name in ("zmq_msg_init", "zmq_msg_data", "zmq_msg_size", "zmq_msg_close", "zmq_close"):
    getattr(zmq, name).argtypes = [ctypes.c_void_p]
SUB, REQ, DEALER = 2, 3, 5
context = zmq.zmq_ctx_new()


class Channel:
    def __init__(self, kind, endpoint):
        self.handle = zmq.zmq_socket(context, kind)
        zmq.zmq_setsockopt(self.handle, 27, struct.pack("i", 60_000), 4)  # ZMQ_RCVTIMEO
        zmq.zmq_setsockopt(self.handle, 17, struct.pack("i", 0), 4)  # ZMQ_LINGER
        if kind == SUB:
            zmq.zmq_setsockopt(self.handle, 6, b"", 0)  # ZMQ_SUBSCRIBE to everything
        zmq.zmq_connect(self.handle, endpoint.encode())

    def send(self, frames):
        for k, frame in enumerate(frames):
            zmq.zmq_send(self.handle, frame, len(frame), 2 if k + 1 < len(frames) else 0)

    def receive(self):
        frames, more, size = [], ctypes.c_int(1), ctypes.c_size_t(4)
        while more.value:
            part = ctypes.create_string_buffer(64)
            zmq.zmq_msg_init(part)
            if zmq.zmq_msg_recv(part, self.handle, 0) < 0:
                raise TimeoutError("no message came within a minute")
            frames.append(ctypes.string_at(zmq.zmq_msg_data(part), zmq.zmq_msg_size(part)))
            zmq.zmq_msg_close(part)
            zmq.zmq_getsockopt(self.handle, 13, ctypes.byref(more), ctypes.byref(size))  # ZMQ_RCVMORE
        return frames

    def close(self):
        zmq.zmq_close(self.handle)


KEY = b"a key of the test's own"


def sign(parts, key=KEY):
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for part in parts:
        digest.update(part)
    return digest.hexdigest().encode()


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


class Kernel:
    def __init__(self):
        names = ["shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"]
        self.ports = dict(zip(names, free_ports(5)))
        pathlib.Path("connection.json").write_text(json.dumps({**self.ports, "ip": "127.0.0.1", "transport": "tcp", "key": KEY.decode(), "signature_scheme": "hmac-sha256"}))
        self.process = subprocess.Popen([CAIRN, "kernel", "--connection", "connection.json"], stderr=subprocess.PIPE)
        at = lambda port: f"tcp://127.0.0.1:{self.ports[port]}"
        self.shell, self.control = Channel(DEALER, at("shell_port")), Channel(DEALER, at("control_port"))
        self.published, self.heart = Channel(SUB, at("iopub_port")), Channel(REQ, at("hb_port"))

    def post(self, channel, kind, content, key=KEY):
        header = {"msg_id": uuid.uuid4().hex, "session": "test", "username": "test", "date": "2025-01-01T00:00:00Z", "msg_type": kind, "version": "5.3"}
        parts = [json.dumps(part).encode() for part in (header, {}, {}, content)]
        channel.send([b"<IDS|MSG>", sign(parts, key), *parts])
        return header["msg_id"]

    @staticmethod
    def read(channel):
        frames = channel.receive()
        at = frames.index(b"<IDS|MSG>")
        signature, parts = frames[at + 1], frames[at + 2 : at + 6]
        assert signature == sign(parts), "a message of the kernel is not signed with the key"
        header, parent, _, content = map(json.loads, parts)
        return header["msg_type"], parent.get("msg_id"), content

    def ask(self, kind, content, channel=None):
        channel = channel or self.shell
        wanted = self.post(channel, kind, content)
        while True:
            answered, parent, content = self.read(channel)
            if parent == wanted:
                assert answered == kind.replace("request", "reply"), answered
                return content

    def until_idle(self, wanted):
        seen = []
        while True:
            kind, parent, content = self.read(self.published)
            if parent == wanted and kind == "status" and content["execution_state"] == "idle":
                return seen
            if parent == wanted and kind != "status":
                seen.append((kind, content))

    def cell(self, code, **options):
        """The status of the reply, what was published besides the input, the reply."""
        wanted = self.post(self.shell, "execute_request", {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True, **options})
        published = self.until_idle(wanted)
        while True:
            _, parent, reply = self.read(self.shell)
            if parent == wanted:
                return reply["status"], [each for each in published if each[0] != "execute_input"], reply


def text(published):
    return [(kind, content.get("text") or content.get("data", {}).get("text/plain")) for kind, content in published]


kernel = Kernel()
information = kernel.ask("kernel_info_request", {})
check("a kernel tells what it speaks", information["protocol_version"].startswith("5.") and information["language_info"]["name"] == "cairn" and information["language_info"]["file_extension"] == ".cairn", information)
time.sleep(0.5)  # a subscription takes a moment; what was published before it is lost
status, published, reply = kernel.cell("let x = 6;\nx * 7")
check("a cell's last expression is its result", (status, text(published)) == ("ok", [("execute_result", "42 : u64")]) and published[0][1]["execution_count"] == reply["execution_count"] == 1, (published, reply))
status, published, reply = kernel.cell("1 + 1\nlet y = x;")
check("a cell that ends with a statement has no result", (status, published) == ("ok", []), published)
status, published, _ = kernel.cell('println("out ", y);\neprintln("err");\n')
check("what a program prints is streamed", sorted((c["name"], c["text"]) for _, c in published) == [("stderr", "err\n"), ("stdout", "out 6\n")], published)
status, published, _ = kernel.cell('import std.io;\nio.print("\\xc3\\xa9t\\xc3\\xa9");')
check("what it writes to a descriptor is streamed too, in whole characters", "".join(c["text"] for k, c in published if k == "stream") == "été", published)
status, published, reply = kernel.cell('let a = 1;\nlet b:u8 = "no";\nlet c = 3;')
check("a refusal is an error whose name is the code and whose text is the diagnostic", status == "error" and reply["ename"] == "E-TYPE-MISMATCH" and "\n".join(reply["traceback"]).startswith("error[E-TYPE-MISMATCH]: ") and "  --> repl:1:12" in reply["traceback"] and published[0][0] == "error", reply)
status, published, _ = kernel.cell("a")
check("entries before the one that failed keep their effect", text(published) == [("execute_result", "1 : u64")], published)
check("and those behind it were not run", kernel.cell("c")[2]["ename"] == "E-UNBOUND")
_, _, reply = kernel.cell("let small:u8 = 255;\nsmall + 1")
check("a trap is an error whose name is its kind", reply["ename"] == "overflow" and reply["traceback"][0].startswith("trap: overflow: 255 + 1"), reply)
check("commands stand in cells", text(kernel.cell(":type x")[1]) == [("stream", "u64\n")])
first = kernel.post(kernel.shell, "execute_request", {"code": "let mut turns:u64 = 0;\nwhile turns < 100000000 { turns += 1; }\n1 / (1 - 1)", "stop_on_error": True})
second = kernel.post(kernel.shell, "execute_request", {"code": "println(99);"})
replies = [kernel.read(kernel.shell) for _ in range(2)]
check("a cell that waits behind one that fails is not run", [(parent, content["status"]) for _, parent, content in replies] == [(first, "error"), (second, "aborted")], replies)
answers = kernel.cell("x", user_expressions={"a": "nobody", "twice": "x * 2", "z": "let spare = 1;"})[2]["user_expressions"]
check("expressions asked for with a cell are evaluated", answers["twice"]["data"] == {"text/plain": "12 : u64"}, answers)
check("each that has no value is told by its own fault", (answers["a"]["ename"], answers["z"]["ename"]) == ("E-UNBOUND", "error"), answers)
status, published, reply = kernel.cell("println(5);\n1", silent=True)
check("a silent cell publishes nothing and is not counted", (status, published) == ("ok", []), published)


def pixels(png):
    """Width, height and the first pixel of a PNG file, its checks made."""
    data = base64.b64decode(png)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, head = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        head = struct.unpack(">II", body[:8]) if kind == b"IHDR" else head
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    lines = zlib.decompress(packed)
    assert len(lines) == head[1] * (1 + 4 * head[0])
    return head[0], head[1], tuple(lines[1:5])


status, published, _ = kernel.cell("import std.image;\nlet mut picture = image.new(3, 2);\nimage.fill(picture, image.rgba(10, 20, 30, 255));\npicture")
check("an image is shown as a picture, and as text", published[0][0] == "execute_result" and pixels(published[0][1]["data"]["image/png"]) == (3, 2, (10, 20, 30, 255)) and "Image(3, 2, 6, " in published[0][1]["data"]["text/plain"], published)
check("one that a call gives too", pixels(kernel.cell("image.new(5, 4)")[1][0][1]["data"]["image/png"]) == (5, 4, (0, 0, 0, 0)))
status, published, _ = kernel.cell("import std.draw;\nlet l = draw.layout();\nfor k in 0..2 {\n  image.fill(picture, image.rgba(u8(k), 0, 0, 255));\n  let r = draw.capture(picture, l, 7);\n}\n")
check("every frame is shown in order, one that is overwritten too", [(k, pixels(c["data"]["image/png"])) for k, c in published] == [("display_data", (3, 2, (0, 0, 0, 255))), ("display_data", (3, 2, (1, 0, 0, 255)))], published)

answer = kernel.ask("complete_request", {"code": "let é = image.fi", "cursor_pos": 16})
check("completion counts in code points", (answer["matches"], answer["cursor_start"], answer["cursor_end"]) == (["fill"], 14, 16), answer)
check("commands are completed", kernel.ask("complete_request", {"code": ":ty", "cursor_pos": 3})["matches"] == [":type"])
check("fields are completed", "w" in kernel.ask("complete_request", {"code": "picture.", "cursor_pos": 8})["matches"])
check("modules are completed", kernel.ask("complete_request", {"code": "import std.im", "cursor_pos": 13})["matches"] == ["std.image"])
answer = kernel.ask("inspect_request", {"code": "image.fill(", "cursor_pos": 8, "detail_level": 0})
check("inspection shows signature, row and comment", answer["found"] and "fn fill(img:rw<Image>, c:u32)" in answer["data"]["text/plain"] and "Sets every pixel" in answer["data"]["text/plain"], answer)
check("what nobody knows is not found", kernel.ask("inspect_request", {"code": "nobody", "cursor_pos": 3, "detail_level": 0})["found"] is False)
for code, wanted in (("1 + 2", "complete"), ("fn f(", "incomplete"), ("let x = 1;\nfn g() {", "incomplete"), ("1)", "invalid"), (":help", "complete"), ("", "complete")):
    check(f"{code!r} is {wanted}", kernel.ask("is_complete_request", {"code": code})["status"] == wanted)
check("history gives the cells that were counted", kernel.ask("history_request", {"hist_access_type": "tail", "n": 1, "output": False, "raw": True})["history"][0][2].startswith("import std.draw;"))

kernel.heart.send([b"still there?"])
check("the heart beats", kernel.heart.receive() == [b"still there?"])
for how, stop in (("a signal", lambda: kernel.process.send_signal(signal.SIGINT)), ("a message", lambda: kernel.post(kernel.control, "interrupt_request", {}))):
    threading.Timer(0.5, stop).start()
    _, _, reply = kernel.cell("let mut k = 0;\nwhile true { k = add_wrap(k, 1); }\n" if how == "a signal" else "while true { k = add_wrap(k, 1); }")
    check(f"{how} stops a cell as a trap does", reply["status"] == "error" and reply["ename"] == "interrupt", reply)
    check("and the session goes on", text(kernel.cell("x")[1]) == [("execute_result", "6 : u64")])
kernel.process.send_signal(signal.SIGINT)
check("an interrupt while nothing runs stops nothing", text(kernel.cell("x + 1")[1]) == [("execute_result", "7 : u64")])

kernel.post(kernel.shell, "execute_request", {"code": "forged"}, key=b"another key")
kernel.shell.send([b"no", b"message"])
kernel.post(kernel.shell, "nonsense_request", {})
kernel.post(kernel.shell, 5, {})
kernel.post(kernel.control, None, {})
check("what is forged, broken or unknown is passed over", text(kernel.cell("x")[1]) == [("execute_result", "6 : u64")])
kernel.post(kernel.shell, "execute_request", {"no code": 1})
check("a request without its content is answered with an error", kernel.read(kernel.shell)[2]["status"] == "error")
threading.Timer(0.5, lambda: kernel.post(kernel.control, "shutdown_request", {"restart": False})).start()
kernel.post(kernel.shell, "execute_request", {"code": "while true { k = add_wrap(k, 1); }"})
check("a shutdown ends the kernel, a running cell with it", kernel.process.wait(60) == 0)
check("nothing is left to say", kernel.process.stderr.read() == b"")
for channel in (kernel.shell, kernel.control, kernel.published, kernel.heart):
    channel.close()

# ---------------------------------------------------------------------------------------------------- the real one
if importlib.util.find_spec("jupyter_client"):
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import KernelManager

    manager = KernelManager(kernel_name="cairn", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(folder.parent)]))
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    shown = []
    reply = client.execute_interactive("let x = 20;\nx + 1", timeout=60, output_hook=shown.append)
    check("jupyter_client runs a cell", reply["content"]["status"] == "ok" and any(m["msg_type"] == "execute_result" and m["content"]["data"]["text/plain"] == "21 : u64" for m in shown), shown)
    threading.Timer(0.5, manager.interrupt_kernel).start()
    reply = client.execute_interactive("let mut k = 0;\nwhile true { k = add_wrap(k, 1); }", timeout=60, output_hook=shown.append)
    check("jupyter_client interrupts one", reply["content"].get("ename") == "interrupt", reply["content"])
    client.stop_channels()
    manager.shutdown_kernel()
    check("jupyter_client ends the kernel", not manager.is_alive())
else:
    print("jupyter_client is not installed (PyPI): the kernel is checked by a client of our own alone")
finish()
