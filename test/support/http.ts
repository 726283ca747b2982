import { randomInt } from 'node:crypto';
import request from 'supertest';
import type { Service } from './service';

export function anAddress(): string {
  return `203.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}

/**
 * Prepares a POST /api/v1/shorten request from a new client address. Returns the request without awaiting it, so
 * that a test can extend the request.
 */
export function shorten(service: Service, body: unknown, address = anAddress()): request.Test {
  return request(service.url)
    .post('/api/v1/shorten')
    .set('X-Forwarded-For', address)
    .set('Content-Type', 'application/json')
    .send(typeof body === 'string' ? body : JSON.stringify(body));
}

export function visit(
  service: Service,
  code: string,
  headers: Record<string, string> = {},
): request.Test {
  return request(service.url)
    .get(`/${code}`)
    .redirects(0)
    .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json', ...headers });
}

export function post(service: Service, path: string, body?: object): request.Test {
  const call = request(service.url).post(path).set('X-Forwarded-For', anAddress());
  return body === undefined ? call : call.send(body);
}

export function inBytes(asked: request.Test): request.Test {
  return asked.buffer(true).parse((response, done) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('end', () => done(null, Buffer.concat(pieces)));
  });
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

export function cookiesOf(answer: request.Response): string {
  const set = (answer.get('Set-Cookie') ?? []).map((line) => line.split(';')[0] ?? '');
  return set.join('; ');
}

export function cookieValue(cookies: string, name: string): string {
  return new RegExp(`${name}=([^;]*)`).exec(cookies)?.[1] ?? '';
}

/** Decodes a token's claims without verification. */
export function claimsOf(token: string): Record<string, unknown> {
  const [, claims = ''] = token.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
}
