import { shorten } from '../http';
import type { Service } from '../service';

export interface MadeLink {
  id: string;
  alias: string;
  short_url: string;
  long_url: string;
}

export async function aLink(service: Service, input: object = {}): Promise<MadeLink> {
  const answer = await shorten(service, { long_url: 'https://example.com/target', ...input });
  expect(answer.status).toBe(201);
  return answer.body as MadeLink;
}
