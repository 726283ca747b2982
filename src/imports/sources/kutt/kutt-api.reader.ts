import { type LinkKeys, linkOfJson, toFields, toNumber } from '../../reading/json-answer';
import type { SourceApi } from '../../reading/source-api';
import type { Import } from '../../store/import';
import type { ImportReader, ReadPage } from '../../reading/import-reader';

/** Kutt's maximum page size. */
const LIMIT = 50;
/** Maximum requests per page, because the list may change between two requests. */
const MAX_MOVES = 10;
const MAX_KUTT_LINKS = 10_000_000;

const KUTT_KEYS: LinkKeys = {
  link_id: 'id',
  alias: 'address',
  short_url: 'link',
  long_url: 'target',
  note: 'description',
  domain: 'domain',
  created_at: 'created_at',
  expire_after: 'expire_in',
  clicks: 'visit_count',
  archived: 'banned',
  password: 'password',
};

/** Number of links to skip, and the total number of links in the previous response. */
interface KuttPosition {
  readonly skip: number;
  readonly total: number;
}

export function kuttApiReader(api: SourceApi): ImportReader {
  return {
    async page(
      dataImport: Import,
      position: KuttPosition | null,
      firstRow: number,
    ): Promise<ReadPage> {
      const { data, total, skip } = await movedPage(api, position);
      const rows = data.map((link, i) =>
        linkOfJson(link, firstRow + i, KUTT_KEYS, dataImport.options),
      );
      const end = skip + data.length;
      const isEnd = data.length === 0 || end >= total;
      const next: KuttPosition = { skip: end, total };
      return { rows, nextRow: firstRow + rows.length, next: isEnd ? null : next, total };
    },
  };
}

interface KuttPage {
  readonly data: readonly unknown[];
  readonly total: number;
  readonly skip: number;
}

/** Requests the next page; repeats the request if new or deleted links shifted the list. */
async function movedPage(api: SourceApi, position: KuttPosition | null): Promise<KuttPage> {
  let { skip, total } = position ?? { skip: 0, total: -1 };
  for (let moves = 0; moves < MAX_MOVES; moves++) {
    const page = await readKuttPage(api, skip);
    if (total === -1 || page.total === total || skip === 0) return { ...page, skip };
    skip = Math.max(0, skip + page.total - total);
    ({ total } = page);
  }
  throw api.shapeError('changes too fast to be read');
}

async function readKuttPage(api: SourceApi, skip: number): Promise<Omit<KuttPage, 'skip'>> {
  const answer = toFields(await api.json('/api/v2/links', { limit: LIMIT, skip }));
  const data = answer?.data;
  const total = toNumber(answer?.total);
  if (!Array.isArray(data) || total === null) throw api.shapeError();
  if (data.length > LIMIT || total > MAX_KUTT_LINKS) throw api.shapeError('returned too much data');
  return { data, total };
}
