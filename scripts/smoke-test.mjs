// node scripts/smoke-test.mjs [VERSION]: runs the built service on another Node.js release and
// creates a link with a password (native bcrypt) in the embedded database (native engine).
// Fails if the service warns, or if idle connections block new ones.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchNode } from './fetch-node.mjs';

const START_MS = 60_000;
const STOP_MS = 10_000;
const REQUEST_MS = 5_000;
/** In total more than the 200 allowed per client (src/program/connection-limits.ts). */
const IDLE_CONNECTIONS = 190;
const NEW_CONNECTIONS = 20;
const root = join(import.meta.dirname, '..');
const [, , version] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'curtail-smoke-'));

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

function expectEqual(what, found, expected) {
  if (found !== expected) throw new Error(`${what} is ${found}, not ${expected}`);
}

const request = (url, options) =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS), ...options });

async function waitUntilHealthy(base, ended) {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const response = await request(`${base}/health`).catch(() => null);
    if (response?.ok) return;
    if (ended() !== undefined) throw new Error(`The service ended with ${ended()}`);
    if (Date.now() > deadline) throw new Error('The service did not become ready');
    await sleep(100);
  }
}

async function shortenAndFollow(base) {
  const longUrl = 'https://example.com/smoke';
  const password = 'Open-sesame.1';
  const made = await request(`${base}/api/v1/shorten`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ long_url: longUrl, password }),
  });
  expectEqual('The status of shortening', made.status, 201);
  const { short_url: shortUrl } = await made.json();
  const refused = await request(shortUrl);
  expectEqual('The status without the password', refused.status, 401);
  const followed = await request(shortUrl, { headers: { 'X-Link-Password': password } });
  expectEqual('The status of the redirect', followed.status, 302);
  expectEqual('Its destination', followed.headers.get('location'), longUrl);
}

async function answeredConnections(port, count) {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  const answered = sockets.map(async (socket) => {
    socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await once(socket, 'data', { signal: AbortSignal.timeout(REQUEST_MS) }).catch(() => undefined);
    return socket.bytesRead > 0;
  });
  const all = await Promise.all(answered);
  return sockets.filter((_, i) => all[i]);
}

async function makeRoomForNewConnections(port) {
  const idle = await answeredConnections(port, IDLE_CONNECTIONS);
  const added = await answeredConnections(port, NEW_CONNECTIONS);
  for (const socket of [...idle, ...added]) socket.destroy();
  expectEqual('The number of idle connections', idle.length, IDLE_CONNECTIONS);
  expectEqual('The number of new connections with a response', added.length, NEW_CONNECTIONS);
}

function collectWarnings(output) {
  const warnings = [];
  createInterface({ input: output }).on('line', (line) => {
    const { level, msg, missing } = JSON.parse(line);
    if (level !== 'debug' && level !== 'info') warnings.push([msg, missing].join(' ').trim());
  });
  return warnings;
}

async function test() {
  if (!existsSync(join(root, 'dist', 'main.js'))) throw new Error('Build first: npm run build');
  const node = version === undefined ? process.execPath : fetchNode(version);
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const service = spawn(node, [join(root, 'dist', 'main.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: join(folder, 'data'),
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: base,
    },
  });
  const exit = once(service, 'exit');
  const warnings = collectWarnings(service.stdout);
  try {
    await waitUntilHealthy(base, () => service.exitCode ?? service.signalCode ?? undefined);
    await shortenAndFollow(base);
    const unexpected = warnings.filter((line) => !line.startsWith('There is no administrator yet'));
    expectEqual('The log at warn', unexpected.join('; '), '');
    await makeRoomForNewConnections(port);
    service.kill('SIGTERM');
    const [code] = await Promise.race([exit, sleep(STOP_MS, ['no exit'], { ref: false })]);
    expectEqual('The exit code', code, 0);
  } finally {
    service.kill('SIGKILL');
  }
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
}

try {
  console.log(`smoke test: passed on Node.js ${await test()}`);
} catch (error) {
  console.error(`smoke test: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
