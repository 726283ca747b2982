import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { anAddress, bearer } from '../http';
import { eventually, type Service } from '../service';
import type { TestAccount } from './accounts';

export async function aCheckedImport(service: Service, account: TestAccount): Promise<string> {
  const as = { 'X-Forwarded-For': anAddress(), ...bearer(account.accessToken) };
  const made = await request(service.url)
    .post('/api/v1/imports')
    .set(as)
    .attach('file', Buffer.from('url\nhttps://a.test/1\nhttps://a.test/2\n'), 'links.csv')
    .field('source', 'csv');
  const { id } = made.body as { id: string };
  await eventually('the import is checked', async () => {
    await sleep(500);
    const { body } = await request(service.url).get(`/api/v1/imports/${id}`).set(as);
    return body.state === 'done';
  });
  return id;
}
