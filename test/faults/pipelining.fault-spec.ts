import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { aLink, type MadeLink } from '../support/factories/links';
import { visit } from '../support/http';
import { health } from '../support/health';
import { eventually, startService, type Service } from '../support/service';

/** Tolerated growth due to journal files and database connections. */
const ORDINARY_DESCRIPTORS = 30;
const UNREAD_CONNECTIONS = 40;
/** Buffering all 16,000 responses of about 100 KB would take over a gigabyte. */
const MEMORY_MB = 200;

function descriptors(service: Service): number {
  return readdirSync(`/proc/${service.process.pid}/fd`).length;
}

function residentMb(service: Service): number {
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('pipelined requests', () => {
  let service: Service;
  let link: MadeLink;
  let script: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    service = await startService({ own: true });
    link = await aLink(service);
    // Warms up, so that the first request's cost does not count.
    await (await fetch(`${service.url}/openapi.json`)).text();
    const docs = await (await fetch(`${service.url}/docs`)).text();
    script = /src="(\/docs\/scalar-[^"]+)"/.exec(docs)?.[1] ?? '';
    const file = await (await fetch(service.url + script)).arrayBuffer();
    expect(file.byteLength).toBeGreaterThan(1_000_000);
  });
  afterAll(() => service.stop());
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  function dial(): Socket {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  }

  async function unread(text: string): Promise<Socket> {
    const socket = dial();
    socket.pause();
    await new Promise<void>((resolve) => socket.write(text, () => resolve()));
    return socket;
  }

  function converse(text: string): Promise<string> {
    const socket = dial();
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    socket.write(text);
    return new Promise((resolve) => socket.on('close', () => resolve(received)));
  }

  async function expectService(): Promise<void> {
    expect(await health(service)).toMatchObject({ code: 200 });
    expect((await visit(service, link.alias)).status).toBe(302);
  }

  it.each([2, 10, 100, 1000])('for files leave no descriptor open (%d at once)', async (count) => {
    const before = descriptors(service);
    for (let round = 0; round < 5; round++) {
      await unread(request(script).repeat(count));
    }
    await expectService();
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually(
      'the descriptors are back',
      () => descriptors(service) < before + (count < 100 ? 3 : ORDINARY_DESCRIPTORS),
    );
    await expectService();
  });

  it('whose responses the client never reads use little memory, and others get responses', async () => {
    const before = residentMb(service);
    for (let i = 0; i < UNREAD_CONNECTIONS; i++) await unread(request('/openapi.json').repeat(400));
    for (let i = 0; i < UNREAD_CONNECTIONS; i++) await unread(request('/openapi.json').repeat(100));
    await expectService();
    expect(residentMb(service) - before).toBeLessThan(MEMORY_MB);
  });

  it('for short links are redirected in order', async () => {
    const links = [];
    for (let i = 0; i < 10; i++) {
      links.push(await aLink(service, { long_url: `https://example.com/${i}` }));
    }
    const last = `GET /nothing-here HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const received = await converse(links.map(({ alias }) => request(`/${alias}`)).join('') + last);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([
      ...links.map(() => 'HTTP/1.1 302'),
      'HTTP/1.1 404',
    ]);
    expect(received.match(/Location: \S+/g)).toEqual(
      links.map(({ long_url }) => `Location: ${long_url}`),
    );
  });

  it('may include a POST with a body', async () => {
    const body = JSON.stringify({
      long_url: 'https://example.com/posted',
      more: 'x'.repeat(90_000),
    });
    const post =
      'POST /api/v1/shorten HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${body.length}\r\n\r\n${body}`;
    const last = `GET /${link.alias} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const received = await converse(
      request(`/${link.alias}`) + request('/health') + post + request('/openapi.json') + last,
    );
    expect(received.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(-3))).toEqual([
      '302',
      '200',
      '201',
      '200',
      '302',
    ]);
    expect(received).toContain('"long_url":"https://example.com/posted"');
  });
});
