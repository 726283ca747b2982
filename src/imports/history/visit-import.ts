import { Injectable } from '@nestjs/common';
import type { Click } from '../../click-engine/click';
import { ImportedCountsRepository } from '../../imported-counts/imported-counts.repository';
import { type Import, type ImportHistory, type ImportRow, isWritten, NO_HISTORY } from '../import';
import { ImportsRepository } from '../imports.repository';
import type { FoundVisit, ImportReader } from '../reading/import-reader';
import { importedAlias } from '../source-link';
import { countsBeyond, countsByDay } from './visit-counts';
import { VisitRecorder } from './visit-recorder';

/** Aliases that are looked up at a time. */
const MAX_ALIASES = 500;

/** How far the visits of a source are read. */
export interface VisitProgress {
  /** Number of the last page that was taken, from 1. */
  readonly page: number;
  readonly position: object | null;
  /** Number of the part of the links whose visits are read now. */
  readonly part: number;
  /** Visits of links that are taken over, and others. */
  readonly taken: number;
  readonly dropped: number;
}

export const NO_VISITS: VisitProgress = {
  page: 0,
  position: null,
  part: 0,
  taken: 0,
  dropped: 0,
};

/** Takes over the single clicks of a source, page after page, once its links have their verdicts. */
@Injectable()
export class VisitImport {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly counts: ImportedCountsRepository,
    private readonly recorder: VisitRecorder,
  ) {}

  /** Whether the source of an import has visits that are wanted. */
  isWanted({ options }: Import, reader: ImportReader): boolean {
    return options.history !== 'none' && reader.visits !== undefined;
  }

  /**
   * Takes a page.
   * @param writes absent in a check, which only counts
   * @returns null behind the last page
   */
  async takePage(
    of: Import,
    reader: ImportReader,
    before: VisitProgress,
    writes: { readonly checkLease: () => void } | null,
  ): Promise<{ progress: VisitProgress; isEnd: boolean }> {
    const parts = (await reader.visitParts?.(of)) ?? 1;
    const isOfPart = (alias: string): boolean =>
      parts === 1 || partOf(alias, parts) === before.part;
    const read = await reader.visits?.(of, before.position, isOfPart);
    const visits = read?.visits ?? [];
    const isPartEnd = read?.next == null;
    const rows = await this.rowsOf(of, visits);
    const byLink = new Map<string, Click[]>();
    const now = Date.now();
    let [taken, dropped] = [0, 0];
    for (const visit of visits) {
      const row = rows.get(aliasOf(visit));
      // An earlier import has taken those of a link that it made.
      if (row?.verdict === 'unchanged') continue;
      const { at } = visit;
      const isTaken =
        row !== undefined && isWritten(row.verdict) && at !== null && at >= 0 && at <= now;
      if (!isTaken) {
        dropped++;
        continue;
      }
      taken++;
      if (writes === null || row.linkId === null) continue;
      const click = await this.recorder.clickOf(visit, at);
      const others = byLink.get(row.linkId);
      if (others === undefined) byLink.set(row.linkId, [click]);
      else others.push(click);
    }
    const page = before.page + 1;
    if (writes !== null && byLink.size > 0) {
      writes.checkLease();
      await this.write(of, page, byLink);
    }
    return {
      progress: {
        page,
        position: read?.next ?? null,
        part: before.part + (isPartEnd ? 1 : 0),
        taken: before.taken + taken,
        dropped: before.dropped + dropped,
      },
      isEnd: isPartEnd && before.part + 1 >= parts,
    };
  }

  private async write(of: Import, page: number, byLink: Map<string, Click[]>): Promise<void> {
    const { id: importId, ownerId, source, options } = of;
    if (options.history === 'counts') {
      await this.counts.takePage(ownerId, page, byLink, countsByDay({ importId, ownerId, source }));
      return;
    }
    await this.recorder.record(of, { number: of.createdAt.getTime() + page, byLink });
    await this.counts.takePage(ownerId, page, byLink, countsBeyond);
  }

  /** Ends the taking of pages. */
  async finish(of: Import): Promise<void> {
    await this.counts.removeEmpty(of.ownerId, of.id);
    await this.recorder.close();
  }

  /** Clicks of the links that the import has made, live ones included. */
  async countClicks(of: Import): Promise<number> {
    let clicks = 0;
    for await (const rows of this.imports.allRows(of.id)) {
      const ids = rows.flatMap(({ linkId, verdict }) =>
        linkId !== null && isWritten(verdict) ? [linkId] : [],
      );
      if (ids.length > 0) clicks += await this.recorder.countClicks(ids);
    }
    return clicks;
  }

  /** Rows by the aliases of visits, which they have claimed. */
  private async rowsOf(of: Import, visits: readonly FoundVisit[]): Promise<Map<string, ImportRow>> {
    const aliases = [...new Set(visits.map(aliasOf))];
    const rows = new Map<string, ImportRow>();
    for (let from = 0; from < aliases.length; from += MAX_ALIASES) {
      const some = aliases.slice(from, from + MAX_ALIASES);
      for (const [alias, row] of await this.imports.claimed(of.id, some, Infinity)) {
        rows.set(alias, row);
      }
    }
    return rows;
  }
}

/**
 * The part that a link belongs to. Visits lie in the order of time, and each link's are written at once
 * where its part is read at once: a write for each page and link would take several times as long.
 */
function partOf(alias: string, parts: number): number {
  let hash = 0;
  for (let i = 0; i < alias.length; i++) hash = (Math.imul(hash, 31) + alias.charCodeAt(i)) >>> 0;
  return hash % parts;
}

/** The alias as it is stored; the empty text, which is none, for what can be no alias. */
function aliasOf({ alias: text }: FoundVisit): string {
  const read = importedAlias(text);
  return 'alias' in read ? read.alias : '';
}

/** Figures of the links that were read, with those of the visits that were read since. */
export function historyWithVisits(
  { options }: Import,
  ofLinks: ImportHistory | undefined,
  { taken, dropped }: VisitProgress,
): ImportHistory {
  const { counted_clicks: counted, dropped_clicks, ...rest } = ofLinks ?? NO_HISTORY;
  const isCounted = options.history === 'counts';
  return {
    ...rest,
    clicks: isCounted ? 0 : taken,
    counted_clicks: isCounted ? Math.max(counted, taken) : Math.max(0, counted - taken),
    // Totals of links that are not taken over say the same as their visits.
    dropped_clicks: Math.max(dropped_clicks, dropped),
  };
}
