/** A site whose every word tries to run in whoever shows it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';

/** Text that is a program when it is taken for HTML; the number tells where it came from. */
export const nasty = (number: number) => `"'><script>alert(${number})</script><img src=x onerror=alert(${number})>`;

export const HOST = 'nasty.test';
export const TITLE = nasty(1);
export const ALT = nasty(2);
export const PLACE = nasty(3);
export const ARTIST = nasty(4);
const PICTURE = `/${encodeURIComponent(nasty(5))}.png`;
const MISSING = `/gone-${encodeURIComponent(nasty(6))}`;

export interface Site {
  /** How it is reached. */
  resolve: string;
  stop(): Promise<void>;
}

/** Serves one page with one picture and a link that leads nowhere. */
export async function site(): Promise<Site> {
  const picture = png(480, 480);
  const server = createServer((request, answer) => {
    const path = request.url ?? '/';
    if (path === '/') {
      answer.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html());
    } else if (path === PICTURE) {
      answer.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': picture.length }).end(picture);
    } else {
      answer.writeHead(404, { 'Content-Type': 'text/plain' }).end('nothing here');
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    resolve: `${HOST}=127.0.0.1:${port}`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function html(): string {
  const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
  const address = { '@type': 'PostalAddress', streetAddress: PLACE, addressLocality: 'Kiel', postalCode: '24103', addressCountry: 'DE' };
  const place = { '@type': 'Place', name: PLACE, address };
  const data = { '@context': 'https://schema.org', '@type': 'ImageObject', contentUrl: PICTURE, contentLocation: place };
  return `<!doctype html><html lang=en><title>${escaped(TITLE)}</title>
    <script type="application/ld+json">${JSON.stringify(data).replace(/</g, '\\u003c')}</script>
    <h1>${escaped(TITLE)}</h1><p>A walk along the harbour of Kiel in Germany.</p>
    <img src="${PICTURE}" alt="${escaped(ALT)}" width=480 height=480><p><a href="${MISSING}">${escaped(nasty(7))}</a></p>`;
}

/** A picture whose EXIF block names an author and a camera. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  const rows = Buffer.concat(Array.from({ length: height }, (_, y) => Buffer.from([0, ...Array.from({ length: width }, (_, x) => (x ^ y) & 255)])));
  const text = [[0x010e, nasty(8)], [0x0110, nasty(9)], [0x013b, ARTIST]] as const;
  const chunks = [chunk('IHDR', header), chunk('eXIf', tiff(text)), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function chunk(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(body.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

/** One directory of text values. */
function tiff(values: readonly (readonly [tag: number, text: string])[]): Buffer {
  const directory = Buffer.alloc(8 + 2 + values.length * 12 + 4);
  directory.write('MM\0*', 0, 'latin1');
  directory.writeUInt32BE(8, 4);
  directory.writeUInt16BE(values.length, 8);
  const texts: Buffer[] = [];
  let end = directory.length;
  values.forEach(([tag, value], number) => {
    const text = Buffer.from(`${value}\0`);
    const at = 10 + number * 12;
    directory.writeUInt16BE(tag, at);
    directory.writeUInt16BE(2, at + 2);
    directory.writeUInt32BE(text.length, at + 4);
    directory.writeUInt32BE(end, at + 8);
    texts.push(text);
    end += text.length;
  });
  return Buffer.concat([directory, ...texts]);
}
