import type { Connection } from 'mongoose';
import request from 'supertest';
import { clicksCounted } from './database';
import { anAddress, visit } from './http';
import type { Service } from './service';

type Fields = Readonly<Partial<Record<string, string>>>;

/** Options of a v0 request; by default JSON is accepted and the address is new. */
export interface Sending {
  accept?: string | null;
  address?: string;
  query?: Fields;
  multipart?: boolean;
  headers?: Record<string, string>;
}

export function postForm(
  service: Service,
  path: string,
  fields: Fields = {},
  sending: Sending = {},
): request.Test {
  const asked = prepared(request(service.url).post(path), sending);
  if (!sending.multipart) return asked.type('form').send(fields);
  for (const [name, value] of Object.entries(fields)) void asked.field(name, value ?? '');
  return asked;
}

export function getPath(service: Service, path: string, sending: Sending = {}): request.Test {
  return prepared(request(service.url).get(path), { accept: 'text/html', ...sending });
}

function prepared(asked: request.Test, sending: Sending): request.Test {
  const { accept = 'application/json', address = anAddress(), query = {}, headers = {} } = sending;
  if (accept !== null) void asked.set('Accept', accept);
  return asked.redirects(0).set('X-Forwarded-For', address).set(headers).query(query);
}

export async function aV0Link(service: Service, fields: Fields = {}): Promise<string> {
  const answer = await postForm(service, '/', { url: 'https://example.com/target', ...fields });
  expect(answer.status).toBe(200);
  const { short_url } = answer.body as { short_url: string };
  return short_url.slice(short_url.lastIndexOf('/') + 1);
}

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

export async function visitThrice(
  service: Service,
  database: Connection,
  code: string,
): Promise<void> {
  const reader = { 'User-Agent': CHROME, 'X-Forwarded-For': anAddress() };
  const referred = { ...reader, Referer: 'https://news.example.com/item?id=1' };
  for (const headers of [reader, referred, { 'User-Agent': BOT }]) {
    expect((await visit(service, code, headers)).status).toBe(302);
  }
  await clicksCounted(database, code, 3);
}
