/** Serves `dist` before a program that was built without it, with the same policy, and hands on what is for the API. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

export interface Front {
  url: string;
  stop: () => Promise<void>;
}

const DIST = join(import.meta.dirname, '../dist');
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml' };

export async function front(api: string): Promise<Front | null> {
  const own = await fetch(`${api}/`);
  if (!(await own.text()).includes('without its web page')) return null;
  const policy = own.headers.get('content-security-policy') ?? '';
  const { hostname, port } = new URL(api);
  const server = createServer((asked, answer) => {
    const path = new URL(asked.url ?? '/', api).pathname;
    if (path.startsWith('/api/')) {
      const handed = request({ hostname, port, path: asked.url, method: asked.method, headers: { ...asked.headers, host: `${hostname}:${port}` } }, (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      });
      // What the dead server does to a browser: the connection breaks.
      handed.on('error', () => answer.destroy());
      answer.on('close', () => handed.destroy());
      asked.pipe(handed);
      return;
    }
    const file = normalize(extname(path) ? path : '/index.html');
    readFile(join(DIST, file)).then(
      (bytes) => answer.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': policy }).end(bytes),
      () => answer.writeHead(404).end(),
    );
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
