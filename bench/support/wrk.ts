import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from './load';

/** Whether wrk is there: it takes a fifth of the processor time that our own generator takes. */
export const wrkInstalled = spawnSync('wrk', ['--version']).error === undefined;

export interface Round {
  perSecond: number;
  /** Redirects whose whole answer came back. */
  redirects: number;
}

export interface RoundOptions {
  port: number;
  links: number;
  connections: number;
  ms: number;
  /** A folder for wrk's script. */
  folder: string;
}

const HEADERS = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x64) Chrome/120.0 Safari/537.36',
  Referer: 'https://news.example/',
};

/**
 * A round of random redirects for when the generator shares the cores with what it measures. wrk
 * cuts its last requests off: their clicks are stored, their answers not counted.
 */
export async function redirectRound(options: RoundOptions): Promise<Round> {
  return wrkInstalled ? byWrk(options) : byOurselves(options);
}

async function byOurselves({ port, links, connections, ms }: RoundOptions): Promise<Round> {
  const headers = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  const { perSecond, statuses } = await load({
    ...{ host: '127.0.0.1', port, connections, ms, headers: headers.join('') },
    target: () => `/b${Math.floor(Math.random() * links)}`,
  });
  return { perSecond, redirects: statuses.get(302) ?? 0 };
}

async function byWrk({ port, links, connections, ms, folder }: RoundOptions): Promise<Round> {
  const script = join(folder, 'redirects.lua');
  const headers = Object.entries(HEADERS).map(
    ([name, value]) => `wrk.headers["${name}"]="${value}"`,
  );
  writeFileSync(
    script,
    `${headers.join('\n')}\nrequest = function() ` +
      `return wrk.format("GET", "/b" .. math.random(0, ${links - 1})) end\n`,
  );
  const seconds = `${Math.max(1, Math.round(ms / 1000))}s`;
  const fixed = ['-t', '1', '-c', String(connections), '-d', seconds, '-s', script];
  const text = await output('wrk', [...fixed, `http://127.0.0.1:${port}/`]);
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  const refused = number(/Non-2xx or 3xx responses: (\d+)/);
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    redirects: number(/(\d+) requests in/) - refused,
  };
}

function output(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}
