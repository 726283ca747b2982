import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { load, percentile } from './load';

/** wrk needs a fifth of our generator's CPU time. */
export const wrkInstalled = spawnSync('wrk', ['--version']).error === undefined;

export interface Round {
  perSecond: number;
  redirects: number;
  p50Ms: number;
  p99Ms: number;
}

export interface RoundOptions {
  port: number;
  links: number;
  connections: number;
  ms: number;
  folder: string;
  /** Visits links in order instead of at random, so that all links are cached afterwards. */
  inTurn?: boolean;
  /** Pipelined requests per connection; default 1. */
  atOnce?: number;
  host?: string;
  restMs?: number;
}

const HEADERS =
  'User-Agent: Mozilla/5.0 (X11; Linux x64) Chrome/120.0 Safari/537.36\r\n' +
  'Referer: https://news.example/\r\n';
/** At the end of a round, wrk sends HEAD requests, because aborted ones are not clicks. */
const TAIL_MS = 200;

/** A round in which every request has a response, so that the number of redirects is exact. */
export async function redirectRound(options: RoundOptions): Promise<Round> {
  return wrkInstalled ? byWrk(options) : byOurselves(options);
}

async function byOurselves({ port, links, connections, ms, inTurn }: RoundOptions): Promise<Round> {
  const { perSecond, statuses, latencies } = await load({
    ...{ host: '127.0.0.1', port, connections, ms, headers: HEADERS },
    target: (n) => `/b${inTurn ? n % links : Math.floor(Math.random() * links)}`,
  });
  return {
    perSecond,
    redirects: statuses.get(302) ?? 0,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

async function byWrk({
  port,
  links,
  connections,
  ms,
  folder,
  inTurn = false,
  atOnce = 1,
  host = 'bench',
  restMs = 0,
}: RoundOptions): Promise<Round> {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const file = join(folder, 'redirects.lua');
  const askMs = seconds * 1000 - TAIL_MS;
  writeFileSync(file, script({ links, askMs, inTurn, atOnce, host, restMs }));
  const fixed = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', file];
  const text = await wrk([...fixed, `http://127.0.0.1:${port}/`]);
  const found = JSON.parse(text.trim().split('\n').at(-1) ?? '') as WrkFigures;
  if (found.errors > 0) throw new Error(`wrk counted ${found.errors} errors`);
  const perSecond = found.asked / (seconds - TAIL_MS / 1000);
  return { perSecond, redirects: found.asked, p50Ms: found.p50_ms, p99Ms: found.p99_ms };
}

interface WrkFigures {
  asked: number;
  errors: number;
  p50_ms: number;
  p99_ms: number;
}

interface ScriptOptions {
  links: number;
  askMs: number;
  inTurn: boolean;
  atOnce: number;
  host: string;
  restMs: number;
}

function script({ links, askMs, inTurn, atOnce, host, restMs }: ScriptOptions): string {
  return `
local ffi = require("ffi")
ffi.cdef [[ typedef struct { long s; long ns; } moment; int clock_gettime(int clock, moment *now); ]]
local moment = ffi.new("moment")
local function now()
  ffi.C.clock_gettime(1, moment)
  return tonumber(moment.s) * 1000 + tonumber(moment.ns) / 1000000
end
local threads = {}
local rest = " HTTP/1.1\\r\\nHost: ${host}\\r\\n${HEADERS.replaceAll('\r\n', '\\r\\n')}\\r\\n"
local heads = ("HEAD /b0" .. rest):rep(${atOnce})
local ending
local at = 0
-- wrk makes the first call only to inspect the request, and never sends it.
asked = -${atOnce}
${restMs === 0 ? '' : `function delay() return ${restMs} end`}
function setup(thread) table.insert(threads, thread) end
local function get()
  asked = asked + 1
  return "GET /b" .. ${inTurn ? `asked % ${links}` : `math.random(0, ${links - 1})`} .. rest
end
function request()
  if asked % 16 == 0 or ending == nil then at = now() end
  if ending == nil then ending = at + ${askMs} end
  if at >= ending then return heads end
  ${
    atOnce === 1
      ? 'return get()'
      : `local all = {}
  for i = 1, ${atOnce} do all[i] = get() end
  return table.concat(all)`
  }
end
function done(summary, latency)
  local sum, e = 0, summary.errors
  for _, thread in ipairs(threads) do sum = sum + thread:get("asked") end
  print(string.format('{"asked":%d,"errors":%d,"p50_ms":%f,"p99_ms":%f}', sum,
    e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;
}

export async function steadily(
  port: number,
  path: string,
  { perSecond, ms, folder }: { perSecond: number; ms: number; folder: string },
): Promise<{ perSecond: number; p99Ms: number }> {
  const connections = 32;
  const file = join(folder, 'steadily.lua');
  writeFileSync(
    file,
    `function delay() return ${Math.round((connections * 1000) / perSecond)} end
function done(summary, latency)
  local e = summary.errors
  print(string.format('{"asked":%d,"errors":%d,"p99_ms":%f}', summary.requests,
    e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(99) / 1000))
end
`,
  );
  const seconds = Math.max(1, Math.round(ms / 1000));
  const fixed = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', file];
  const text = await wrk([...fixed, `http://127.0.0.1:${port}${path}`]);
  const found = JSON.parse(text.trim().split('\n').at(-1) ?? '') as Omit<WrkFigures, 'p50_ms'>;
  if (found.errors > 0) throw new Error(`wrk counted ${found.errors} errors`);
  return { perSecond: found.asked / seconds, p99Ms: found.p99_ms };
}

/**
 * Raises wrk's priority if permitted: it simulates visitors on other machines. Real-time
 * priority does not work: the kernel throttles it.
 */
const AHEAD = process.getuid?.() === 0 ? ['nice', '-n', '-20'] : [];

function wrk(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const [command = '', ...rest] = [...AHEAD, 'wrk', ...args];
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}
