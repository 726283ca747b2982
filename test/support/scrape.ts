import request from 'supertest';
import type { Service } from './service';

/** Requests /metrics. Returns values by sample name with labels. */
export async function scrape(service: Service): Promise<Map<string, number>> {
  const answer = await request(service.url).get('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^text\/plain;.*version=0\.0\.4/);
  const samples = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}
