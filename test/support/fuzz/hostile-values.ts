import type { SeededRandom } from './seeded-random';

const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + '1' + close.repeat(depth);

const JSON_TEXTS: readonly string[] = [
  'null',
  'true',
  '-1',
  '0',
  '1e308',
  '1e999',
  '-0',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1',
  '""',
  '" "',
  '[]',
  '{}',
  '[[]]',
  '{"$gt":""}',
  '{"$ne":null}',
  '{"$where":"while(true){}"}',
  '{"$regex":"(a+)+$"}',
  '{"__proto__":{"status":500,"isAdmin":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":null,"length":-1}',
  '"\\ud800"',
  '"\\u0000"',
  '"a\\r\\nSet-Cookie: split=1"',
  nested(3000, '[', ']'),
  nested(3000, '{"a":', '}'),
  '[1,2',
  '{"a":}',
  'NaN',
  'undefined',
];

const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202egpj.exe',
  '👩‍👩‍👧‍👦',
  '../../../etc/passwd',
  '%00',
  '%ff%fe',
  '%',
  '__proto__',
  'constructor',
  '$where',
  '{"$ne":null}',
  '[object Object]',
  "' OR 1=1 --",
  '=cmd|calc!A1',
  '<script>alert(1)</script>',
  'a\r\nSet-Cookie: split=1\r\n\r\n',
  `${'a'.repeat(40)}!`,
  'http://[::1',
  'http://user:pass@host:99999/',
  'javascript:alert(1)',
  '-1',
  '1e999',
  '99999999999999999999',
  'NaN',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00Z',
  'Mars/Olympus_Mons',
];

export function hostileJson(random: SeededRandom): string {
  if (random.chance(0.3)) return JSON.stringify(hostileText(random));
  return random.of(JSON_TEXTS);
}

export function hostileText(random: SeededRandom): string {
  if (random.chance(0.1))
    return random.of(['a', '\u00e9', '💥', '%', '[']).repeat(random.below(5000));
  if (random.chance(0.1)) return random.bytes(random.below(40)).toString('latin1');
  return random.of(TEXTS);
}

const raw = encodeURIComponent;

export function hostileQuery(random: SeededRandom, name: string): string {
  const value = percentEncoded(hostileText(random));
  return random.of([
    `${raw(name)}=${value}`,
    `${raw(name)}=${value}&${raw(name)}=2`,
    `${raw(name)}[]=${value}`,
    `${raw(name)}[$gt]=${value}`,
    `${raw(name)}[__proto__][x]=${value}`,
    `__proto__[${raw(name)}]=${value}`,
    `${raw(name)}${'[a]'.repeat(200)}=1`,
    `${raw(name)}=%ff%fe%C0%AF`,
    `${raw(name)}=%`,
    raw(name),
    `&&&=&=${value}&${raw(name)}==`,
  ]);
}

/** Like encodeURIComponent, but accepts unpaired surrogates. */
export function percentEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('')
    .slice(0, 6000);
}
