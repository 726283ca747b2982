import { anAddress } from '../client';
import type { Dice } from './dice';
import { hostileHeader } from './hostile-headers';
import { hostileJson, hostileQuery, hostileText, percentEncoded } from './hostile-values';
import type { Route } from './routes';

/** What is really there, so that requests get past the first checks. */
export interface KnownThings {
  /** By the name of a parameter or field: values that the service would take. */
  values: Record<string, string>;
  /** Sessions and keys, as they stand behind `Bearer`. */
  credentials: readonly string[];
}

/** The bytes of a request to a route: sound here, hostile there, as the dice fall. */
export function hostileRequest(dice: Dice, route: Route, known: KnownThings): Buffer {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    dice.chance(0.6) ? (known.values[name] ?? 'x') : percentEncoded(hostileText(dice)),
  );
  const query = route.query
    .filter(() => dice.chance(0.5))
    .map((name) => (dice.chance(0.5) ? `${name}=${sound(known, name)}` : hostileQuery(dice, name)));
  if (dice.chance(0.2)) query.push(hostileQuery(dice, 'unheard'));
  const target = `${path || '/'}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const method = dice.chance(0.05) ? dice.of(['TRACE', 'PUT', 'HEAD', 'BREW']) : route.method;
  const body = method === 'GET' && dice.chance(0.9) ? null : bodyOf(dice, route, known);
  return request(dice, method, target, body, known);
}

interface Body {
  type: string;
  bytes: Buffer;
}

function sound(known: KnownThings, name: string): string {
  return encodeURIComponent(known.values[name] ?? 'x');
}

function bodyOf(dice: Dice, route: Route, known: KnownThings): Body {
  const json = 'application/json';
  if (dice.chance(0.1)) return { type: json, bytes: dice.bytes(dice.below(300)) };
  if (dice.chance(0.1)) return { type: json, bytes: Buffer.from(hostileJson(dice)) };
  if (route.fields.length === 0 && dice.chance(0.5)) {
    const form = route.query.concat('unheard').map((name) => hostileQuery(dice, name));
    return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(form.join('&')) };
  }
  const pairs = route.fields
    .filter(() => dice.chance(0.8))
    .map((name) => `${JSON.stringify(name)}:${fieldValue(dice, known, name)}`);
  if (dice.chance(0.2)) pairs.push(`"__proto__":${hostileJson(dice)}`, `"$set":{"plan":"x"}`);
  const bytes = Buffer.from(`{${pairs.join(',')}}`);
  // Here and there a byte that makes the text no UTF-8.
  if (dice.chance(0.1) && bytes.length > 2) bytes[1 + dice.below(bytes.length - 2)] = 0xff;
  return { type: json, bytes };
}

function fieldValue(dice: Dice, known: KnownThings, name: string): string {
  return dice.chance(0.6) ? JSON.stringify(known.values[name] ?? 'x') : hostileJson(dice);
}

function request(
  dice: Dice,
  method: string,
  target: string,
  body: Body | null,
  { credentials }: KnownThings,
): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close'];
  lines.push(`X-Forwarded-For: ${anAddress()}`);
  if (dice.chance(0.6)) lines.push(`Authorization: Bearer ${dice.of(credentials)}`);
  if (body !== null)
    lines.push(`Content-Type: ${body.type}`, `Content-Length: ${body.bytes.length}`);
  const hostile = dice.chance(0.3) ? hostileHeader(dice) : null;
  // Without a body this one would only announce one and never send it.
  const incomplete = body === null && hostile?.startsWith('Transfer-Encoding');
  if (hostile !== null && !incomplete) lines.push(hostile);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([head, body?.bytes ?? Buffer.alloc(0)]);
}
