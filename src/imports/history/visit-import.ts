import { Injectable } from '@nestjs/common';
import { campaignOfUrl } from '../../common/campaign';
import { sliceItems } from '../../infrastructure/mongo/many-documents';
import type { Click } from '../../engines/click-engine/chunk/click';
import type { CountSeries } from '../../stores/imported-counts/imported-counts';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { LinkReads } from '../../stores/links/link-reads.repository';
import {
  type Import,
  type ImportHistory,
  type ImportRow,
  isTaken,
  isWritten,
  writtenLinkIds,
} from '../store/import';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { ImportsRepository } from '../store/imports.repository';
import {
  type FoundCounts,
  type FoundVisit,
  hasOwnClicks,
  type ImportReader,
} from '../reading/import-reader';
import { CLICKS_DELETED, joinTexts, validAlias } from '../reading/source-link';
import { dropLostCounts } from './lost-counts';
import { countsBeyond, countsByDay, countsTogether } from './visit-counts';
import { VisitRecorder } from './visit-recorder';

const ALIASES_A_READ = 500;

export interface VisitProgress {
  /** Number of the last imported page, from 1. */
  readonly page: number;
  readonly position: object | null;
  readonly part: number;
  /** `taken`: visits to imported links; `dropped`: all other visits. */
  readonly taken: number;
  readonly dropped: number;
}

export interface SettledRows {
  readonly after: Pick<ImportRow, 'row' | 'part'> | null;
  readonly history: ImportHistory;
  readonly countedLinks: number;
  readonly partial: number;
  readonly isEnd: boolean;
}

interface SummedVisits {
  readonly clicks: number;
  readonly counts: CountSeries;
}

interface FoundLinkVisits extends Partial<SummedVisits> {
  readonly clicks: number;
  readonly list: Click[];
  /** Whether to record individual visits as clicks. */
  readonly isOwn?: boolean;
}

interface FoundPage {
  readonly byLink: Map<string, FoundLinkVisits>;
  readonly byRow: Map<ImportRow, number>;
  dropped: number;
}

export const NO_VISITS: VisitProgress = {
  page: 0,
  position: null,
  part: 0,
  taken: 0,
  dropped: 0,
};

@Injectable()
export class VisitImport {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly imported: ImportedLinksRepository,
    private readonly counts: ImportedCountsRepository,
    private readonly links: LinkReads,
    private readonly recorder: VisitRecorder,
  ) {}

  isWanted({ options }: Import, reader: ImportReader): boolean {
    return options.history !== 'none' && reader.visits !== undefined;
  }

  /** @param writes null during a check, which only counts visits */
  async takePage(
    dataImport: Import,
    reader: ImportReader,
    before: VisitProgress,
    writes: { readonly checkLease: () => void } | null,
  ): Promise<{ progress: VisitProgress; isEnd: boolean }> {
    const parts = (await reader.visits?.count(dataImport)) ?? 1;
    const read = await reader.visits?.page(dataImport, before.part, before.position);
    const isPartEnd = read?.next == null;
    const page = before.page + 1;
    const found =
      read?.counts === undefined
        ? await this.groupVisits(dataImport, read?.visits ?? [], writes !== null)
        : await this.groupSums(dataImport, read.counts);
    writes?.checkLease();
    if (writes !== null) {
      await this.write(dataImport, page, found.byLink);
      const ids = [...found.byLink.keys()];
      await dropLostCounts(this.links, this.counts, dataImport.ownerId, ids);
    }
    await this.rows.addVisits(dataImport.id, page, found.byRow);
    return {
      progress: {
        page,
        position: read?.next ?? null,
        part: before.part + (isPartEnd ? 1 : 0),
        taken: before.taken + sumCounts(found.byRow.values()),
        dropped: before.dropped + found.dropped,
      },
      isEnd: isPartEnd && before.part + 1 >= parts,
    };
  }

  private async groupVisits(
    dataImport: Import,
    visits: readonly FoundVisit[],
    isWriting: boolean,
  ): Promise<FoundPage> {
    const rows = await this.findRows(dataImport, visits);
    const found: FoundPage = { byLink: new Map(), byRow: new Map(), dropped: 0 };
    const now = Date.now();
    for (const visit of visits) {
      const claimed = rows.get(visitAlias(visit));
      const row = visit.row === undefined || visit.row === claimed?.row ? claimed : undefined;
      if (row !== undefined && keepsHistory(row)) continue;
      const { at } = visit;
      if (row === undefined || !isTaken(row.verdict) || at === null || at < 0 || at > now) {
        found.dropped++;
        continue;
      }
      found.byRow.set(row, (found.byRow.get(row) ?? 0) + 1);
      if (!isWriting || row.linkId === null) continue;
      const part = found.byLink.get(row.linkId);
      const list = part?.list ?? [];
      list.push(await this.recorder.createClick(visit, at, campaignOfUrl(row.longUrl ?? '')));
      const isOwn = isWritten(row.verdict);
      found.byLink.set(row.linkId, { clicks: list.length, list, isOwn });
    }
    return found;
  }

  private async groupSums(dataImport: Import, sums: readonly FoundCounts[]): Promise<FoundPage> {
    const found: FoundPage = { byLink: new Map(), byRow: new Map(), dropped: 0 };
    const rows = new Map<string, ImportRow>();
    for (const batch of sliceItems(sums, ALIASES_A_READ)) {
      const keys = batch.map(({ key }) => key);
      for (const [key, row] of await this.rows.rowsByVisitsKey(dataImport.id, keys))
        rows.set(key, row);
    }
    for (const { key, counts, clicks, unread } of sums) {
      const row = rows.get(key);
      if (row !== undefined && keepsHistory(row)) continue;
      if (row === undefined || !isTaken(row.verdict)) {
        found.dropped += clicks + unread;
        continue;
      }
      found.dropped += unread;
      found.byRow.set(row, clicks);
      if (row.linkId !== null) found.byLink.set(row.linkId, { clicks, list: [], counts });
    }
    return found;
  }

  private async write(
    dataImport: Import,
    page: number,
    byLink: FoundPage['byLink'],
  ): Promise<void> {
    if (byLink.size === 0) return;
    const { id: importId, ownerId, source, options } = dataImport;
    const about = { importId, ownerId, source };
    const sums = new Map<string, SummedVisits>();
    for (const [id, { clicks, counts }] of byLink) if (counts) sums.set(id, { clicks, counts });
    if (sums.size > 0) {
      await this.counts.takePage(ownerId, page, sums, countsTogether(about));
      return;
    }
    if (options.history === 'counts') {
      await this.counts.takePage(ownerId, page, byLink, countsByDay(about));
      return;
    }
    // Individual clicks are recorded only for links that this import created.
    const own = new Map<string, readonly Click[]>();
    for (const [id, { list, isOwn }] of byLink) if (isOwn === true) own.set(id, list);
    if (own.size > 0) {
      if (!dataImport.hasClicks) await this.imports.noteClicks(importId);
      await this.recorder.record(dataImport, {
        number: dataImport.createdAt.getTime() + page,
        byLink: own,
      });
    }
    await this.counts.takePage(ownerId, page, byLink, countsBeyond);
  }

  /** Adds each row's clicks to the history totals, and notes rows with missing clicks. */
  async settleRows(
    dataImport: Import,
    reader: ImportReader,
    before: SettledRows,
  ): Promise<SettledRows> {
    const rows = await this.rows.historiesAfter(dataImport.id, before.after);
    const partial: { row: ImportRow; message: string | null }[] = [];
    let { clicks, counted_clicks: counted, links_with_history: links } = before.history;
    let { countedLinks } = before;
    const isOwn = hasOwnClicks(dataImport, reader);
    const ids = rows.flatMap(({ row: { linkId } }) => linkId ?? []);
    const ofLinks = reader.linkVisits && (await this.imported.taken(ids));
    // A run that resumes may have read rows before their links' clicks were deleted.
    const cleared = ofLinks && (await this.links.clearedAmong(ids));
    for (const { row, total, taken: ofRow } of rows) {
      const taken = ofLinks === undefined ? ofRow : (ofLinks.get(row.linkId ?? '') ?? 0);
      if (!isTaken(row.verdict) || Math.max(total, taken) === 0) continue;
      if (cleared?.has(row.linkId ?? '') === true) {
        partial.push({ row, message: joinTexts(row.message, CLICKS_DELETED) });
        continue;
      }
      const countedClicks = isOwn ? Math.max(0, total - taken) : Math.max(total, taken);
      links++;
      counted += countedClicks;
      if (countedClicks > 0) countedLinks++;
      if (ofLinks === undefined && isOwn && isWritten(row.verdict)) clicks += taken;
      if (total <= taken) continue;
      const note = `the source lists only ${taken} of its ${total} clicks`;
      partial.push({ row, message: joinTexts(row.message, note) });
    }
    await this.rows.notePartial(dataImport.id, partial);
    const last = rows.at(-1)?.row;
    return {
      after: last === undefined ? null : { row: last.row, part: last.part },
      history: {
        clicks,
        counted_clicks: counted,
        dropped_clicks: before.history.dropped_clicks,
        links_with_history: links,
      },
      countedLinks,
      partial: before.partial + partial.length,
      isEnd: rows.length === 0,
    };
  }

  async finish(dataImport: Import): Promise<void> {
    await this.counts.removeEmpty(dataImport.ownerId, dataImport.id);
    await this.recorder.close();
  }

  /** Counts all clicks on the import's links, including clicks after the import. */
  async countClicks(dataImport: Import): Promise<number> {
    let clicks = 0;
    for await (const rows of this.rows.allRows(dataImport.id)) {
      const ids = writtenLinkIds(rows);
      if (ids.length > 0) clicks += await this.recorder.countClicks(ids);
    }
    return clicks;
  }

  private async findRows(
    dataImport: Import,
    visits: readonly FoundVisit[],
  ): Promise<Map<string, ImportRow>> {
    const aliases = [...new Set(visits.map(visitAlias))];
    const rows = new Map<string, ImportRow>();
    for (const batch of sliceItems(aliases, ALIASES_A_READ)) {
      for (const [alias, row] of await this.rows.claimed(dataImport.id, batch, Infinity)) {
        rows.set(alias, row);
      }
    }
    return rows;
  }
}

/** Whether an earlier import has recorded the visits, or the link's clicks were deleted here. */
function keepsHistory({ verdict, notes }: ImportRow): boolean {
  return verdict === 'unchanged' || notes.includes('history_partial');
}

function visitAlias({ alias }: FoundVisit): string {
  return validAlias(alias) ?? '';
}

function sumCounts(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
