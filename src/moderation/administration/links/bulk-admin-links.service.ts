import { Injectable } from '@nestjs/common';
import { parseId } from '../../../common/http/parse-id.pipe';
import { placeOfKey } from '../../../stores/links/alias-form';
import { LinkReads } from '../../../stores/links/link-reads.repository';
import {
  bulkAnswer,
  type BulkAnswer,
  DONE,
  isUnreachable,
  type LinkRow,
  type RowOutcome,
  toVerdict,
} from '../../../links/bulk/bulk.response';

@Injectable()
export class BulkAdminLinksService {
  constructor(private readonly repository: LinkReads) {}

  /** Throws only if the database is down before any change. Otherwise, returns a row per link. */
  async run(
    requestedIds: readonly string[],
    act: (id: string) => Promise<unknown>,
  ): Promise<BulkAnswer<LinkRow>> {
    const ids = [...new Set(requestedIds.map((id, i) => parseId(id, `ids.${i}`)))];
    const links = await this.repository.findInOrder(ids);
    const aliases = new Map(links.map(({ id, alias }) => [id, placeOfKey(alias).alias]));
    const rows: LinkRow[] = [];
    let away: RowOutcome | null = null;
    for (const id of ids) {
      const alias = aliases.get(id) ?? null;
      let verdict: RowOutcome | null = away;
      try {
        if (verdict === null) await act(id);
      } catch (error) {
        verdict = toVerdict(error);
        if (isUnreachable(error)) away = verdict;
        if (away !== null && rows.length === 0) throw error;
      }
      rows.push({ id, alias, ...(verdict ?? DONE) });
    }
    return bulkAnswer(rows);
  }
}
