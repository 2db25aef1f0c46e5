# A server of completions that streams with known delays: `first` seconds before the first token,
# `between` before each further one; other modes are ways to fail. For tst_throughput.
import http.server, json, sys, time
mode, first, between = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def chunk(self, text):
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()
    def event(self, value): self.chunk("data: " + json.dumps(value) + "\n\n")
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if mode == "busy":
            body = json.dumps({"error": {"message": "come again later"}}).encode()
            self.send_response(429)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        time.sleep(first)
        for i in range(asked["max_tokens"]):
            if i > 0:
                time.sleep(between)
            self.event({"choices": [{"text": "x"}]})
        if mode == "broken":
            self.chunk("")
            return
        if mode != "silent":
            self.event({"choices": [], "usage": {"prompt_tokens": len(asked["prompt"]),
                        "completion_tokens": asked["max_tokens"]}})
        self.chunk("data: [DONE]\n\n")
        self.chunk("")

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
