import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { aKey, aVerifiedAccount } from './factories/accounts';
import { anAddress, bearer } from './http';
import { endAfterFile } from './left-running';
import type { Service } from './service';

export function limitsFile(limits: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-limits-'));
  endAfterFile(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'limits.json');
  writeFileSync(file, JSON.stringify(limits));
  return file;
}

/** Reads with keys and with sessions are counted separately, but all writes together (contract 4.1). */
export async function expectSeparateReadCounters(service: Service): Promise<void> {
  const account = await aVerifiedAccount(service);
  const key = await aKey(service, account, ['urls:read']);
  const master = await aKey(service, account, ['admin:all']);
  const call = async (method: 'get' | 'post', path: string, token: string) => {
    const answer = await request(service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) })
      .send(method === 'post' ? {} : undefined);
    return [answer.status, answer.get('X-RateLimit-Remaining')];
  };
  for (const [path, first, second] of [
    ['/api/v1/tags', [key, master], [account.accessToken]],
    ['/api/v1/utm-templates', [account.accessToken], [key, master]],
  ] as const) {
    for (let i = 0; i < 60; i++) {
      expect((await call('get', path, first[i % first.length]!))[0]).toBe(200);
    }
    for (const token of first) expect(await call('get', path, token)).toEqual([429, '0']);
    for (const [i, token] of second.entries()) {
      expect(await call('get', path, token)).toEqual([200, String(59 - i)]);
    }
  }
  expect(await call('post', '/api/v1/tags', master)).toEqual([422, '59']);
  expect(await call('post', '/api/v1/tags', account.accessToken)).toEqual([422, '58']);
}
