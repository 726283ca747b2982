import { type LinkKeys, linkOfJson, toFields, toText } from '../../reading/json-answer';
import type { ImportOptions } from '../../store/import';
import type { FoundRow } from '../../reading/import-reader';
import { type SourceLink, withDropped } from '../../reading/source-link';

const BITLY_KEYS: LinkKeys = {
  short_url: 'link',
  long_url: 'long_url',
  title: 'title',
  tags: 'tags',
  created_at: 'created_at',
  archived: 'archived',
};
const WITHOUT_FIELD = ['deeplinks', 'campaign_ids'];
const MAX_BACK_HALVES = 100;

export interface BitlyLink {
  /** Host and back-half, used to request clicks; null if unknown. */
  readonly id: string | null;
  /** The random back-half first, then the custom back-halves from newest to oldest. */
  readonly rows: readonly FoundRow[];
}

/** Imports deleted links as INACTIVE, like archived links, to reserve their aliases. */
export function bitlyLinks(
  item: unknown,
  row: number,
  options: Pick<ImportOptions, 'timezone'>,
): BitlyLink {
  const found = toFields(item);
  if (found === null) return toRefusedLink(row, 'no link');
  const custom = found.custom_bitlinks ?? [];
  if (!Array.isArray(custom)) return toRefusedLink(row, 'custom_bitlinks is not a list');
  if (custom.length > MAX_BACK_HALVES)
    return toRefusedLink(row, `more than ${MAX_BACK_HALVES} back-halves`);
  const id = toText(found.id) || toText(found.link).replace(/^https?:\/\//i, '');
  const shared = {
    ...found,
    tags: Array.isArray(found.tags) ? found.tags.map(toText).join('|') : '',
    archived: found.archived === true || found.is_deleted === true,
  };
  const first = linkOfJson({ ...shared, link: toText(found.link) || id }, row, BITLY_KEYS, options);
  if ('problem' in first) return { id: null, rows: [first] };
  if (first.alias === null) return toRefusedLink(row, 'no back-half');
  const rows = [withLost(first, found)];
  const seen = new Set([shortAddress(first)]);
  for (const link of custom.map(toText)) {
    const read = linkOfJson({ ...shared, link }, row, BITLY_KEYS, options);
    if ('problem' in read) return { id: null, rows: [read] };
    if (read.alias === null || seen.has(shortAddress(read))) continue;
    seen.add(shortAddress(read));
    rows.push({ ...withLost(read, found), part: rows.length });
  }
  return { id, rows };
}

function toRefusedLink(row: number, problem: string): BitlyLink {
  return { id: null, rows: [{ row, problem }] };
}

function shortAddress({ domain, alias }: SourceLink): string {
  return `${domain ?? ''}/${alias ?? ''}`;
}

function withLost(link: SourceLink, found: Readonly<Record<string, unknown>>): SourceLink {
  const lost = WITHOUT_FIELD.filter((name) => {
    const value = found[name];
    return Array.isArray(value) && value.length > 0;
  });
  return withDropped(link, found, lost);
}
