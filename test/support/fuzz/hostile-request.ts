import { anAddress } from '../http';
import type { SeededRandom } from './seeded-random';
import { hostileHeader } from './hostile-headers';
import { hostileJson, hostileQuery, hostileText, percentEncoded } from './hostile-values';
import type { Route } from './routes';

export interface KnownThings {
  values: Record<string, string>;
  credentials: readonly string[];
}

/** A request to a route whose parts are randomly valid or hostile. */
export function hostileRequest(random: SeededRandom, route: Route, known: KnownThings): Buffer {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    random.chance(0.6) ? (known.values[name] ?? 'x') : percentEncoded(hostileText(random)),
  );
  const query = route.query
    .filter(() => random.chance(0.5))
    .map((name) =>
      random.chance(0.5) ? `${name}=${sound(known, name)}` : hostileQuery(random, name),
    );
  if (random.chance(0.2)) query.push(hostileQuery(random, 'unheard'));
  const target = `${path || '/'}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const method = random.chance(0.05) ? random.of(['TRACE', 'PUT', 'HEAD', 'BREW']) : route.method;
  const body = method === 'GET' && random.chance(0.9) ? null : bodyOf(random, route, known);
  return request(random, method, target, body, known);
}

interface Body {
  type: string;
  bytes: Buffer;
}

function sound(known: KnownThings, name: string): string {
  return encodeURIComponent(known.values[name] ?? 'x');
}

function bodyOf(random: SeededRandom, route: Route, known: KnownThings): Body {
  const json = 'application/json';
  if (random.chance(0.1)) return { type: json, bytes: random.bytes(random.below(300)) };
  if (random.chance(0.1)) return { type: json, bytes: Buffer.from(hostileJson(random)) };
  if (route.fields.length === 0 && random.chance(0.5)) {
    const form = route.query.concat('unheard').map((name) => hostileQuery(random, name));
    return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(form.join('&')) };
  }
  const pairs = route.fields
    .filter(() => random.chance(0.8))
    .map((name) => `${JSON.stringify(name)}:${fieldValue(random, known, name)}`);
  if (random.chance(0.2)) pairs.push(`"__proto__":${hostileJson(random)}`, `"$set":{"plan":"x"}`);
  const bytes = Buffer.from(`{${pairs.join(',')}}`);
  // Occasionally makes the text invalid UTF-8.
  if (random.chance(0.1) && bytes.length > 2) bytes[1 + random.below(bytes.length - 2)] = 0xff;
  return { type: json, bytes };
}

function fieldValue(random: SeededRandom, known: KnownThings, name: string): string {
  return random.chance(0.6) ? JSON.stringify(known.values[name] ?? 'x') : hostileJson(random);
}

function request(
  random: SeededRandom,
  method: string,
  target: string,
  body: Body | null,
  { credentials }: KnownThings,
): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close'];
  lines.push(`X-Forwarded-For: ${anAddress()}`);
  if (random.chance(0.6)) lines.push(`Authorization: Bearer ${random.of(credentials)}`);
  if (body !== null)
    lines.push(`Content-Type: ${body.type}`, `Content-Length: ${body.bytes.length}`);
  const hostile = random.chance(0.3) ? hostileHeader(random) : null;
  // Without a body, this header would announce one that never follows.
  const incomplete = body === null && hostile?.startsWith('Transfer-Encoding');
  if (hostile !== null && !incomplete) lines.push(hostile);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([head, body?.bytes ?? Buffer.alloc(0)]);
}
