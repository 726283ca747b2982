import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitRow, windowsOf } from '../auth/rate-limit/rate-limits';
import { RateLimitError, RateLimiter } from '../auth/rate-limit/rate-limiter';
import { Caller } from '../auth/caller';
import { LimitMeter } from '../infrastructure/meters/meters';
import { MemoryRateLimitStore } from '../infrastructure/rate-limit-store/memory.rate-limit-store';
import type { ClientAddress } from '../infrastructure/client-address/client-address';
import { QrImagesHandler } from './qr-images.handler';
import type { KnownImage, QrImagesService } from './qr-images.service';

const KNOWN = '/known/qr.png?size=300';
const IMAGE: KnownImage = {
  kind: 'asset',
  contentType: 'image/png',
  etag: '"a"',
  maxAgeSeconds: 3600,
  headers: { 'X-Robots-Tag': 'noindex' },
  body: Buffer.from('picture'),
};

describe('Ahead of Express, a QR code', () => {
  let server: Server;
  const passed = jest.fn();
  const refused = jest.fn();

  beforeEach(async () => {
    passed.mockClear();
    refused.mockClear();
    const images = { known: (url: string) => (url === KNOWN ? IMAGE : null) };
    const store = new MemoryRateLimitStore(() => 0, { clients: 16, others: 16 });
    const handler = new QrImagesHandler(
      images as unknown as QrImagesService,
      new RateLimiter(store, new LimitMeter()),
      { client: () => ({ key: '192.0.2.1' }) } as unknown as ClientAddress,
    );
    server = createServer(
      handler.handle(
        (request, response) => {
          passed(request.method, request.url);
          response.writeHead(299).end();
        },
        (_, response) => response.setHeader('X-Prepared', 'yes'),
        (_, response, error) => {
          refused(error);
          response.writeHead(429).end();
        },
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);

  it('that is known is answered at once, with the headers of its answer', async () => {
    const answer = await ask(KNOWN);
    expect([answer.status, await answer.text()]).toEqual([200, 'picture']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-prepared': 'yes',
      'cache-control': 'public, max-age=3600',
      etag: '"a"',
      'x-robots-tag': 'noindex',
      'content-type': 'image/png',
      'content-length': '7',
    });
    expect(passed).not.toHaveBeenCalled();
  });

  it.each([
    ['one that is not known', '/known/qr.png', {}],
    ['another path', '/known/qr.png/more', {}],
    ['HEAD', KNOWN, { method: 'HEAD' }],
    ['a condition', KNOWN, { headers: { 'If-None-Match': '"a"' } }],
    ['a time', KNOWN, { headers: { 'If-Modified-Since': 'Sun, 22 Nov 2026 00:00:00 GMT' } }],
    ['a cookie', KNOWN, { headers: { Cookie: 'a=b' } }],
    ['a token', KNOWN, { headers: { Authorization: 'Bearer a' } }],
  ])('is handed on: %s', async (_, path, init) => {
    expect((await ask(path, init)).status).toBe(299);
    expect(passed).toHaveBeenCalledTimes(1);
  });

  it('is refused beyond the limit of the route', async () => {
    const [minute] = windowsOf(limitRow('qr.image'), new Caller(null));
    for (let i = 0; i < minute!.limit; i++) expect((await ask(KNOWN)).status).toBe(200);
    expect((await ask(KNOWN)).status).toBe(429);
    expect(refused).toHaveBeenCalledWith(expect.any(RateLimitError));
  });
});
