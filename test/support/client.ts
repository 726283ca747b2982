import { randomInt } from 'node:crypto';
import request from 'supertest';
import type { Service } from './service';

/** A random client address: services of the tests trust X-Forwarded-For from loopback. */
export function anAddress(): string {
  return `203.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}

export interface MadeLink {
  id: string;
  alias: string;
  short_url: string;
  long_url: string;
}

/** POST /api/v1/shorten from a fresh address; not awaited, so that a spec can go on. */
export function shorten(service: Service, body: unknown, address = anAddress()): request.Test {
  return request(service.url)
    .post('/api/v1/shorten')
    .set('X-Forwarded-For', address)
    .set('Content-Type', 'application/json')
    .send(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A link that is there; `input` overrides the defaults. */
export async function aLink(service: Service, input: object = {}): Promise<MadeLink> {
  const answer = await shorten(service, { long_url: 'https://example.com/target', ...input });
  expect(answer.status).toBe(201);
  return answer.body as MadeLink;
}

/** GET of a short path, from a fresh address, redirects not followed. */
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
