"""Asks for lists of media from many connections while a crawl runs; compares the crawl with itself alone."""
import asyncio, json, sys, time, urllib.request

serve, lab = (json.load(open(path)) for path in sys.argv[1:3])
SECONDS = float(sys.argv[3])
RATE, CONNECTIONS = 300, 200
URL = serve["listening"]
HOST, PORT = URL.removeprefix("http://").split(":")
PATHS = ["/api/v1/media?limit=50", "/api/v1/media?located=true&limit=50", "/api/v1/media?order=place&limit=50",
         "/api/v1/map/clusters?box=-60,-180,75,180&zoom=2", "/api/v1/crawls", "/api/v1/media?q=harbour&limit=20"]


def ask(path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(URL + path, data, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))


def pages():
    return ask("/api/v1/crawls/bench")["pages"]


async def connection(number, started, took, errors):
    reader, writer = None, None
    turn = number
    while True:
        due = started + turn / RATE
        if due > started + SECONDS:
            break
        await asyncio.sleep(max(0, due - time.monotonic()))
        path = PATHS[0] if turn % 2 == 0 else PATHS[turn // 2 % len(PATHS)]
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection(HOST, int(PORT))
            begun = time.monotonic()
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}:{PORT}\r\nAccept-Encoding: gzip\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if b"transfer-encoding: chunked" in head.lower():
                while (size := int(await reader.readline(), 16)) > 0:
                    await reader.readexactly(size + 2)
                await reader.readexactly(2)
            else:
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
                await reader.readexactly(int(length.split(b":")[1]))
            if not head.startswith(b"HTTP/1.1 200"):
                errors.append(head.split(b"\r\n")[0].decode())
            took.setdefault(path.split("?")[0], []).append((time.monotonic() - begun) * 1000)
        except Exception as error:
            errors.append(repr(error))
            reader, writer = None, None
        turn += CONNECTIONS
    if writer:
        writer.close()


async def load():
    took, errors = {}, []
    started = time.monotonic() + 0.5
    await asyncio.gather(*(connection(number, started, took, errors) for number in range(CONNECTIONS)))
    return took, errors


ask("/api/v1/crawls", {"name": "bench", "settings": {
    "seeds": lab["seeds"], "strategy": "bfs", "limits": {"max-pages": 1000000}, "manners": {"delay": "50ms"}}})
time.sleep(10)
alone = (pages(), time.monotonic())
time.sleep(SECONDS / 2)
alone_rate = (pages() - alone[0]) / (time.monotonic() - alone[1])
beside = (pages(), time.monotonic())
took, errors = asyncio.run(load())
beside_rate = (pages() - beside[0]) / (time.monotonic() - beside[1])


def percentile(values, share):
    return round(sorted(values)[min(len(values) - 1, int(len(values) * share))], 1)


print(json.dumps({
    "requests": sum(map(len, took.values())), "seconds": SECONDS, "connections": CONNECTIONS, "errors": len(errors),
    "first_errors": errors[:3],
    "ms": {path: {"p50": percentile(values, 0.5), "p99": percentile(values, 0.99), "max": percentile(values, 1)} for path, values in took.items()},
    "crawl_pages_per_second": {"alone": round(alone_rate, 1), "beside": round(beside_rate, 1)},
}))
