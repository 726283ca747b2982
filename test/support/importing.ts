import request from 'supertest';
import type { ApiClient } from './api-client';
import { anAddress, bearer } from './http';
import { limitsFile } from './limits';
import { eventually, type Service } from './service';

export interface ImportBody {
  readonly id: string;
  readonly state: string;
  readonly counts: Record<string, number>;
  readonly notes: Record<string, number>;
  readonly history: Record<string, number>;
  readonly proof: Record<string, unknown> | null;
  readonly error: { readonly code: string; readonly error: string } | null;
}

export function importLimits(): string {
  const rows = ['create', 'read', 'run', 'change', 'rows', 'report'];
  return limitsFile(Object.fromEntries(rows.map((row) => [`imports.${row}`, 'off'])));
}

export async function sendImport(
  service: Service,
  owner: ApiClient,
  file: string | Buffer,
  source = 'csv',
  options: object = {},
): Promise<string> {
  const { status, body } = await request(service.url)
    .post('/api/v1/imports')
    .set({ 'X-Forwarded-For': anAddress(), ...bearer(owner.account.accessToken) })
    .field('source', source)
    .field('options', JSON.stringify(options))
    .attach('file', Buffer.from(file), 'file');
  expect([status, body]).toEqual([202, expect.objectContaining({ kind: 'import' })]);
  return (body as ImportBody).id;
}

export async function endedImport(
  owner: ApiClient,
  id: string,
  timeoutMs = 300_000,
): Promise<ImportBody> {
  let now: ImportBody | undefined;
  const hasEnded = async (): Promise<boolean> => {
    now = (await owner.call('get', `/api/v1/imports/${id}`)).body as ImportBody;
    return ['done', 'failed'].includes(now.state);
  };
  await eventually('the import has ended', hasEnded, timeoutMs);
  return now as unknown as ImportBody;
}
