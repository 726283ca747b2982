import { parseTime } from '../../../common/time';
import type { CsvField } from '../../reading/csv-fields';
import { foreignLinkPasswordHash } from '../../../links/link-password';
import { linksOfRow } from '../../reading/source-link';
import { KUTT_HOURS } from './kutt-hours';
import type { NamedRow } from './dump-rows';
import type { DumpSource } from './dump.reader';

export const YOURLS: DumpSource = {
  tables: [
    { kind: 'links', has: ['keyword', 'url'] },
    { kind: 'clicks', has: ['shorturl', 'click_time'] },
  ],
  link: (row, { row: number, isGuessed }, _held, options) =>
    linksOfRow(number, ...pickFields(row, YOURLS_FIELDS), { ...options, isGuessed }),
  visits: {
    kind: 'clicks',
    visit: (row) => {
      const text = (name: string): string => row.get(name)?.trim() ?? '';
      const referrer = text('referrer');
      const code = text('country_code').toUpperCase();
      return {
        alias: text('shorturl'),
        // Always UTC, regardless of the server's time zone.
        at: parseTime(text('click_time')),
        ip: text('ip_address'),
        userAgent: text('user_agent'),
        referrer: referrer === 'direct' ? '' : referrer,
        countryCode: code === '' ? null : code,
      };
    },
  },
};

const YOURLS_FIELDS: Readonly<Record<string, CsvField>> = {
  keyword: 'alias',
  url: 'long_url',
  title: 'title',
  timestamp: 'created_at',
  clicks: 'clicks',
};

export const KUTT: DumpSource = {
  tables: [
    { kind: 'links', has: ['address', 'target'] },
    { kind: 'visits', has: ['link_id', 'total', 'countries'] },
    { kind: 'domains', has: ['id', 'address'], lacks: ['target'] },
  ],
  held: 'domains',
  hours: KUTT_HOURS,
  link: (row, { row: number, isGuessed, isMysql }, domains, options) => {
    const { timezone } = options;
    // MySQL stores the server's local time, the other databases UTC.
    const times = { timezone: isMysql ? timezone : 'UTC', isGuessed };
    const [fields, columns] = pickFields(row, KUTT_FIELDS);
    const domainId = row.get('domain_id') ?? null;
    const domain = domains.find(
      (candidate) => domainId !== null && candidate.get('id') === domainId,
    );
    const named = [...fields, domain?.get('address') ?? ''];
    const links = linksOfRow(number, named, { ...columns, domain: fields.length }, times);
    const password = row.get('password') ?? null;
    const passwordHash = password === null ? null : foreignLinkPasswordHash(password);
    const isProtected = password !== null && password !== '' && passwordHash === null;
    const visitsKey = row.get('id') ?? '';
    return links.map((link) => ({ ...link, visitsKey, passwordHash, isProtected }));
  },
};

const KUTT_FIELDS: Readonly<Record<string, CsvField>> = {
  address: 'alias',
  target: 'long_url',
  description: 'note',
  created_at: 'created_at',
  expire_in: 'expire_after',
  visit_count: 'clicks',
  banned: 'archived',
  uuid: 'link_id',
};

function pickFields(
  row: NamedRow,
  names: Readonly<Record<string, CsvField>>,
): [string[], Partial<Record<CsvField, number>>] {
  const found = Object.keys(names).filter((name) => row.has(name));
  const columns: Partial<Record<CsvField, number>> = {};
  for (const [place, name] of found.entries()) columns[names[name] as CsvField] = place;
  return [found.map((name) => row.get(name) ?? ''), columns];
}
