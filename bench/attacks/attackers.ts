import { randomBytes, randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';

// One hostile client that repeats the attacks in docs/security.md until time runs out.
// node attackers.js <port> <ms> <alias of the heavy link> <protected aliases>

const [port, ms, heavy = '', ...protectedLinks] = process.argv.slice(2);
const chosen = process.env.ATTACKS?.split(',') ?? [''];
const until = Date.now() + Number(ms);
const base = `http://127.0.0.1:${port ?? ''}`;
const counts: Record<string, number> = {};

/**
 * An address in one IPv6 /64, which counts as one client; the service trusts the bench as a proxy.
 */
const fromOneNetwork = (): string =>
  `2001:db8:1:2:${randomBytes(8)
    .toString('hex')
    .replace(/(.{4})(?=.)/g, '$1:')}`;
const fromAnywhere = (): string =>
  `203.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;

async function again(name: string, pauseMs: number, attack: () => Promise<void>): Promise<void> {
  if (!chosen.some((part) => name.includes(part))) return;
  counts[name] = 0;
  while (Date.now() < until) {
    try {
      await attack();
      counts[name]++;
    } catch {
      // Refused attacks are expected.
    }
    await sleep(pauseMs);
  }
}

async function raw(bytes: string | Buffer, holdMs: number, reads: boolean): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  if (reads) socket.resume();
  else socket.pause();
  socket.write(bytes);
  await sleep(holdMs);
  socket.destroy();
}

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

function cutShort(line: string, type: string, body: Buffer, coding?: string): Buffer {
  const head = [
    `${line} HTTP/1.1`,
    'Host: x',
    `X-Forwarded-For: ${fromOneNetwork()}`,
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
    ...(coding === undefined ? [] : [`Content-Encoding: ${coding}`]),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body.subarray(0, -1)]);
}

async function flood(connections: number, requestOf: () => Buffer): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, () => raw(requestOf(), BODY_HOLD_MS, true)),
  );
}

async function ask(
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
) {
  const answer = await fetch(base + path, {
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
    ...init,
    headers: { 'X-Forwarded-For': fromOneNetwork(), ...init.headers },
  });
  await answer.arrayBuffer();
}

const manyKeys = JSON.stringify({
  long_url: 'https://example.com/',
  ...Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [i.toString(36), 0])),
});
const json = { 'Content-Type': 'application/json' };

/** Slightly shorter than the service's body timeout. */
const BODY_HOLD_MS = 25_000;
const spaces = Buffer.alloc(1_040_000, ' ');
const [brotli, gzip] = [brotliCompressSync(spaces), gzipSync(spaces)];
const compressedText = gzipSync(`{"long_url":"${'a'.repeat(170_000)}"}`);
const plainText = Buffer.from(`{"long_url":"${'a'.repeat(900_000)}"}`);
const picture = Buffer.alloc(250_000);
const form = Buffer.from(`email=${'a'.repeat(900_000)}`);
const smallForm = Buffer.from(`email=${'a'.repeat(16_000)}`);
const FORM_TYPE = 'application/x-www-form-urlencoded';

async function main(): Promise<void> {
  await Promise.all([
    again('pipelined files, never read', 500, () =>
      raw(get('/docs/swagger-ui-bundle.js').repeat(1000), 900, false),
    ),
    again('pipelined API documents, never read', 500, () =>
      raw(get('/openapi.json').repeat(400), 2000, false),
    ),
    again('pipelined /health', 500, () => raw(get('/health').repeat(1000), 1000, true)),
    again('bodies of many keys', 250, () =>
      ask('/api/v1/shorten', { method: 'POST', headers: json, body: manyKeys }),
    ),
    again('brotli bodies of GETs', 1000, () =>
      flood(300, () => cutShort('GET /health', 'application/json', brotli, 'br')),
    ),
    again('cut gzip bodies', 1000, () =>
      flood(1000, () => cutShort('POST /api/v1/shorten', 'application/json', gzip, 'gzip')),
    ),
    again('whole gzip bodies', 3, () =>
      ask('/api/v1/shorten', {
        method: 'POST',
        headers: { ...json, 'Content-Encoding': 'gzip' },
        body: compressedText,
      }),
    ),
    again('cut plain bodies', 1000, () =>
      flood(3000, () => cutShort('POST /api/v1/shorten', 'application/json', plainText)),
    ),
    again('cut logo bodies', 1000, () =>
      flood(500, () => cutShort('PUT /api/v1/qr/logo', 'image/png', picture)),
    ),
    again('cut large form bodies', 1000, () =>
      flood(500, () => cutShort('POST /login', FORM_TYPE, form)),
    ),
    again('cut small form bodies', 1000, () =>
      flood(1000, () => cutShort('POST /login', FORM_TYPE, smallForm)),
    ),
    again('giant User-Agents', 50, () =>
      raw(get(`/${heavy}`, `User-Agent: ${'é'.repeat(7000)}\r\n`).repeat(20), 100, true),
    ),
    again('made-up referrers', 50, () => {
      const clicks = Array.from({ length: 100 }, () =>
        get(
          `/${heavy}?utm_source=${randomBytes(20).toString('hex')}`,
          `Referer: https://${randomBytes(12).toString('hex')}.example/\r\nX-Forwarded-For: ${fromAnywhere()}\r\n`,
        ),
      );
      return raw(clicks.join(''), 100, true);
    }),
    again('link passwords', 50, () => {
      const alias = protectedLinks[randomInt(protectedLinks.length)] ?? '';
      return ask(`/${alias}`, { headers: { 'X-Link-Password': 'wrong.1' } });
    }),
    again('link passwords from many addresses', 100, () => {
      const alias = protectedLinks[randomInt(protectedLinks.length)] ?? '';
      const headers = { 'X-Link-Password': 'wrong.1', 'X-Forwarded-For': fromAnywhere() };
      return ask(`/${alias}`, { headers });
    }),
    again('sign-ins', 100, () => {
      const body = JSON.stringify({ email: 'victim@example.com', password: 'Wrong-1-password' });
      const headers = { ...json, 'X-Forwarded-For': fromAnywhere() };
      return ask('/auth/login', { method: 'POST', headers, body });
    }),
    again('v0 statistics', 500, () => ask(`/stats/${heavy}`, { method: 'POST' })),
    again('v0 exports', 2000, () =>
      ask(`/export/${heavy}/xlsx`, { headers: { 'X-Forwarded-For': fromAnywhere() } }),
    ),
    again('public statistics', 500, () =>
      ask(`/api/v1/public/stats/${heavy}?start_date=${randomInt(1_600_000_000, 1_700_000_000)}`, {
        headers: { 'X-Forwarded-For': fromAnywhere() },
      }),
    ),
    again('unknown aliases', 20, () => ask(`/${randomBytes(4).toString('hex')}`)),
  ]);
  process.send?.(counts);
  process.disconnect();
}

void main();
