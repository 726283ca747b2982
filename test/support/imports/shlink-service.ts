import { Answer, JsonService } from './json-service';

export interface ShlinkVisit {
  readonly date: string;
  readonly referer: string;
  readonly userAgent: string;
  readonly visitLocation: object | null;
  readonly potentialBot: boolean;
}

export interface ShlinkLink {
  readonly shortCode: string;
  readonly domain: string | null;
  readonly [field: string]: unknown;
}

export function aShlinkVisit(second: number, fields: Partial<ShlinkVisit> = {}): ShlinkVisit {
  return {
    date: new Date(Date.UTC(2024, 0, 1) + second * 1000).toISOString().replace('.000Z', '+00:00'),
    referer: 'https://t.co',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    visitLocation: { cityName: 'Cupertino', countryCode: 'US', countryName: 'United States' },
    potentialBot: false,
    ...fields,
  };
}

export class ShlinkService {
  readonly links: ShlinkLink[] = [];
  readonly visits = new Map<string, ShlinkVisit[]>();
  readonly rules = new Map<string, unknown[]>();
  /** Called before each response; a returned value replaces the response. */
  meddle: (path: string) => unknown = () => undefined;
  readonly api: JsonService;

  constructor(readonly key: string) {
    this.api = new JsonService(({ path, query, headers }) => {
      const other = this.meddle(path);
      if (other !== undefined) return other;
      if (headers['x-api-key'] !== this.key) return new Answer(401, { type: 'invalid-api-key' });
      return this.answer(path, query) ?? new Answer(404, { type: 'not-found' });
    });
  }

  add(shortCode: string, visits: ShlinkVisit[], fields: Record<string, unknown> = {}): void {
    const domain = (fields.domain as string | undefined) ?? null;
    this.links.push({
      ...{ shortCode, domain, shortUrl: `https://${domain ?? 's.test'}/${shortCode}` },
      longUrl: `https://a.test/${shortCode}`,
      dateCreated: '2021-08-21T20:34:16+02:00',
      tags: [],
      meta: { validSince: null, validUntil: null, maxVisits: null },
      ...{ title: null, crawlable: false, forwardQuery: true, hasRedirectRules: false },
      ...fields,
    });
    this.visits.set(`${domain ?? ''}/${shortCode}`, visits);
  }

  private answer(path: string, query: URLSearchParams): unknown {
    if (path === '/rest/v3/short-urls') {
      const links = this.links.map((link) => {
        const total = this.visits.get(`${link.domain ?? ''}/${link.shortCode}`)?.length ?? 0;
        return { ...link, visitsSummary: { total, nonBots: total, bots: 0 } };
      });
      return { shortUrls: pageOf(links, query) };
    }
    const [, code = '', what] = /^\/rest\/v3\/short-urls\/([^/]+)\/(\S+)$/.exec(path) ?? [];
    const key = `${query.get('domain') ?? ''}/${decodeURIComponent(code)}`;
    if (what === 'redirect-rules') return { redirectRules: this.rules.get(key) ?? [] };
    const visits = this.visits.get(key);
    return visits && { visits: pageOf([...visits].reverse(), query) };
  }
}

function pageOf(items: readonly unknown[], query: URLSearchParams): object {
  const size = Number(query.get('itemsPerPage') ?? 20);
  const page = Number(query.get('page') ?? 1);
  const data = items.slice((page - 1) * size, page * size);
  const pagination = {
    currentPage: page,
    pagesCount: Math.ceil(items.length / size),
    itemsPerPage: size,
    itemsInCurrentPage: data.length,
    totalItems: items.length,
  };
  return { data, pagination };
}
