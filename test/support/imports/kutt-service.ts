import { Answer, JsonService } from './json-service';

export interface KuttLink {
  readonly id: string;
  readonly address: string;
  readonly target: string;
  readonly [field: string]: unknown;
}

export function aKuttLink(address: string, fields: Record<string, unknown> = {}): KuttLink {
  return {
    id: `id-${address}`,
    address,
    target: `https://a.test/${address}`,
    description: null,
    link: `https://kutt.test/${address}`,
    password: false,
    banned: false,
    domain: null,
    visit_count: 0,
    created_at: '2024-05-06T07:08:09.123Z',
    updated_at: '2024-05-06T07:08:09.123Z',
    expire_in: null,
    ...fields,
  };
}

export function kuttService(links: KuttLink[], key: string): JsonService {
  return new JsonService(({ path, query, headers }) => {
    if (headers['x-api-key'] !== key) return new Answer(401, { error: 'Unauthorized.' });
    if (path !== '/api/v2/links') return new Answer(404, { error: 'Not found.' });
    const [limit, skip] = [Number(query.get('limit')), Number(query.get('skip'))];
    return {
      total: links.length,
      limit,
      skip,
      data: links.slice(skip, skip + Math.min(limit, 50)),
    };
  });
}
