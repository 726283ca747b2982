import { randomInt } from 'node:crypto';
import type { Callers } from './callers';

export type Kind = 'redirect' | 'health' | 'legacy' | 'api' | 'stats' | 'sign-in';

const SHARES: readonly (readonly [Kind, number])[] = [
  ['redirect', 80],
  ['health', 8],
  ['legacy', 5],
  ['api', 3],
  ['stats', 2],
  ['sign-in', 2],
];

export const EXPECTED: Record<Kind, number> = {
  redirect: 302,
  health: 200,
  legacy: 200,
  api: 200,
  stats: 200,
  'sign-in': 200,
};

export function kindOf(n: number): Kind {
  // 37 and 100 are coprime, so any 100 consecutive requests contain the exact shares.
  let place = (n * 37) % 100;
  for (const [kind, share] of SHARES) {
    if (place < share) return kind;
    place -= share;
  }
  throw new Error('The shares do not add up to 100');
}

const CHROME = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36';

export function requestOf(n: number, links: number, callers: Callers): string {
  const alias = `b${Math.floor(Math.random() * links)}`;
  switch (kindOf(n)) {
    case 'redirect':
      return text('GET', `/${alias}`);
    case 'health':
      return text('GET', '/health');
    case 'legacy': {
      const form = `url=${encodeURIComponent(`https://example.com/page/${n}`)}`;
      return text('POST', '/', ['Accept: application/json', FORM], form);
    }
    case 'api':
      return text('GET', '/api/v1/urls?pageSize=10', [callers.next()]);
    case 'stats':
      return text('GET', `/api/v1/stats?scope=anon&short_code=${alias}&group_by=time,browser`);
    case 'sign-in':
      return text('POST', '/auth/login', [JSON_TYPE], callers.signIn);
  }
}

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const JSON_TYPE = 'Content-Type: application/json';

function text(method: string, target: string, headers: string[] = [], body = ''): string {
  const address = `203.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: bench',
    `User-Agent: ${CHROME}`,
    `X-Forwarded-For: ${address}`,
    ...headers,
    ...(method === 'POST' ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
