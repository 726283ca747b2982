import { Answer, JsonService, type Question } from './json-service';

export interface BitlyLink {
  readonly id: string;
  readonly long_url: string;
  readonly [field: string]: unknown;
}

export function aBitlyLink(code: string, fields: Record<string, unknown> = {}): BitlyLink {
  return {
    created_at: '2020-10-26T17:20:40+0000',
    id: `bit.ly/${code}`,
    link: `https://bit.ly/${code}`,
    custom_bitlinks: [],
    long_url: `https://a.test/${code}`,
    title: `Title of ${code}`,
    archived: false,
    tags: [],
    deeplinks: [],
    is_deleted: false,
    campaign_ids: [],
    ...fields,
  };
}

export interface BitlyAccount {
  readonly groups: Record<string, BitlyLink[]>;
  readonly clicks: Record<string, BitlyClicks>;
  readonly plan: readonly string[];
  readonly limit?: { readonly limit: number; readonly count: number };
}

export interface BitlyClicks {
  readonly days: Record<string, number>;
  readonly countries?: Record<string, number>;
  readonly referrers?: Record<string, number>;
  readonly devices?: Record<string, number>;
}

/** Simulates the Bitly API for one token, with two links per page. */
export function bitlyService(account: BitlyAccount, token: string): JsonService {
  const service: JsonService = new JsonService((question) => {
    const { path, headers } = question;
    if (headers.authorization !== `Bearer ${token}`)
      return new Answer(401, { message: 'FORBIDDEN' });
    if (path === '/v4/user/platform_limits') return limitsOf(account);
    if (path === '/v4/groups') {
      return { groups: Object.keys(account.groups).map((guid) => ({ guid, is_active: true })) };
    }
    const [, group] = /^\/v4\/groups\/([^/]+)\/bitlinks$/.exec(path) ?? [];
    if (group !== undefined) return pageOf(account.groups[group] ?? [], question, service.url);
    const [, id = '', what = ''] = /^\/v4\/bitlinks\/([^/]+\/[^/]+)\/(\w+)$/.exec(path) ?? [];
    return metricsOf(account, id, what);
  });
  return service;
}

function limitsOf({ limit }: BitlyAccount): unknown {
  const methods = [{ name: 'GET', limit: limit?.limit ?? 1000, count: limit?.count ?? 0 }];
  return { platform_limits: [{ endpoint: '/v4/bitlinks/{bitlink}/clicks', methods }] };
}

function pageOf(links: readonly BitlyLink[], { path, query }: Question, url: string): unknown {
  const size = Math.min(Number(query.get('size')), 2);
  const isListed = ({ archived }: BitlyLink) =>
    query.get('archived') === 'both' || archived !== true;
  const after = query.get('search_after') ?? '';
  const rest = links.filter(isListed).filter(({ id }) => id > after);
  const page = rest.slice(0, size);
  const next = `${url}${path}?size=${size}&search_after=${encodeURIComponent(page.at(-1)?.id ?? '')}`;
  return { links: page, pagination: { prev: '', next: rest.length > size ? next : '', size } };
}

function metricsOf({ clicks, plan }: BitlyAccount, id: string, what: string): unknown {
  const of = clicks[id];
  if (what === 'clicks') {
    const days = Object.entries(of?.days ?? {});
    const link_clicks = days.map(([day, n]) => ({ date: `${day}T00:00:00+0000`, clicks: n }));
    return { link_clicks, units: link_clicks.length, unit: 'day' };
  }
  if (!['countries', 'referrers', 'devices'].includes(what)) return new Answer(404, {});
  if (!plan.includes(what)) return new Answer(402, { message: 'UPGRADE_REQUIRED' });
  const values = Object.entries(of?.[what as 'countries'] ?? {});
  return { metrics: values.map(([value, n]) => ({ value, clicks: n })), facet: what };
}
