import { Injectable } from '@nestjs/common';
import { CurtailError } from '../../common/errors';
import { MINUTE_MS } from '../../common/time';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import { ImportNodes } from '../history/visit-recorder';
import { LinkVisitImport } from '../history/link-visit-import';
import { type SettledRows, VisitImport, type VisitProgress } from '../history/visit-import';
import { hasOwnClicks, type ImportReader } from '../reading/import-reader';
import {
  type Import,
  type ImportHistory,
  isTaken,
  NO_HISTORY,
  WRITTEN_VERDICTS,
  writtenLinkIds,
} from '../store/import';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { ImportsRepository } from '../store/imports.repository';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportMails } from './import-mails';
import {
  endPass,
  type HistoryCursor,
  type ImportStep,
  type LinkVisitsCursor,
  NOTHING_DONE,
  type PassProgress,
  type ProofCursor,
  type ReleaseCursor,
  type StageRun,
  totalCount,
  type VisitsCursor,
} from './import-cursor';

/** Imports visits after all links exist, because a dump may list visits before links. */
@Injectable()
export class VisitsStage {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly imported: ImportedLinksRepository,
    private readonly visits: VisitImport,
    private readonly linkVisits: LinkVisitImport,
  ) {}

  async read({ dataImport, job, reader }: StageRun, cursor: VisitsCursor): Promise<ImportStep> {
    const writes = cursor.pass === 'write' ? job : null;
    const before = cursor.visits;
    const { progress, isEnd } = await this.visits.takePage(dataImport, reader, before, writes);
    job.checkLease();
    const history = historyWithVisits(dataImport, reader, cursor.history, progress);
    await this.imports.keepFound(dataImport.id, cursor.notes, history);
    if (!isEnd) return { ...NOTHING_DONE, cursor: { ...cursor, visits: progress } };
    if (writes !== null) await this.visits.finish(dataImport);
    return beginHistory(cursor, { ...NO_HISTORY, dropped_clicks: history.dropped_clicks });
  }

  /** Links whose clicks were deleted here are not read again, and not missed. */
  async forgetCleared({ id, file }: Import): Promise<void> {
    if (file === null) await this.linkVisits.forgetCleared(id);
  }

  async readByLink(
    { dataImport, job, reader }: StageRun,
    cursor: LinkVisitsCursor,
  ): Promise<ImportStep> {
    const { linkVisits: list } = reader;
    if (list === undefined) throw new Error(`${dataImport.source} lists no visits by link`);
    const { linkVisits: before } = cursor;
    // Step numbers are never reused, so clicks from different runs cannot collide.
    await this.imports.keepVisitStep(dataImport.id, before.step + 1);
    const taken = await this.linkVisits.takeStep(dataImport, list, before, job.checkLease);
    job.checkLease();
    if (!taken.isEnd) return { ...NOTHING_DONE, cursor: { ...cursor, linkVisits: taken.progress } };
    await this.visits.finish(dataImport);
    const sums = await this.imported.sums(dataImport.id);
    return beginHistory(cursor, {
      ...NO_HISTORY,
      clicks: dataImport.options.history === 'counts' ? 0 : sums.taken,
      dropped_clicks: cursor.history.dropped_clicks + sums.dropped,
    });
  }

  async settleRows(run: StageRun, cursor: HistoryCursor): Promise<ImportStep> {
    const { dataImport, job, reader } = run;
    job.checkLease();
    const settled = await this.visits.settleRows(dataImport, reader, cursor.settled);
    if (!settled.isEnd) return { ...NOTHING_DONE, cursor: { ...cursor, settled } };
    const { history, partial, countedLinks } = settled;
    const { history_partial: before = 0, ...others } = cursor.notes;
    const all = before + partial;
    const notes = all > 0 ? { ...others, history_partial: all } : others;
    await this.imports.keepFound(dataImport.id, notes, history);
    return endPass(run, { ...cursor, notes, history }, countedLinks, NOTHING_DONE);
  }
}

function beginHistory({ pass, counts, notes }: PassProgress, history: ImportHistory): ImportStep {
  const settled: SettledRows = {
    after: null,
    history,
    countedLinks: 0,
    partial: 0,
    isEnd: false,
  };
  return { ...NOTHING_DONE, cursor: { stage: 'history', pass, counts, notes, history, settled } };
}

function historyWithVisits(
  dataImport: Import,
  reader: ImportReader,
  ofLinks: ImportHistory,
  { taken, dropped }: VisitProgress,
): ImportHistory {
  const { counted_clicks: counted, dropped_clicks, ...rest } = ofLinks;
  const isOwn = hasOwnClicks(dataImport, reader);
  return {
    ...rest,
    clicks: isOwn ? taken : 0,
    counted_clicks: isOwn ? Math.max(0, counted - taken) : Math.max(counted, taken),
    // A skipped link's total already includes its individual visits.
    dropped_clicks: Math.max(dropped_clicks, dropped),
  };
}

/** Minimum time that a link's deletion stays on record. */
const NOTES_KEPT_MS = 50 * MINUTE_MS;

/** Compares the stored rows, links and clicks with the expected numbers, then ends the run. */
@Injectable()
export class ProofStage {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly links: LinkReads,
    private readonly removed: RemovedLinksRepository,
    private readonly counts: ImportedCountsRepository,
    private readonly visits: VisitImport,
    private readonly linkVisits: LinkVisitImport,
    private readonly nodes: ImportNodes,
    private readonly mails: ImportMails,
  ) {}

  async prove(run: StageRun, cursor: ProofCursor): Promise<ImportStep> {
    const { dataImport, job } = run;
    const { id, ownerId, source, file } = dataImport;
    const { countedLinks, history } = cursor;
    const written = WRITTEN_VERDICTS.reduce((n, verdict) => n + (cursor.counts[verdict] ?? 0), 0);
    const read = totalCount(cursor.counts);
    const [rows, links, counted] = await Promise.all([
      this.rows.countRows(id),
      file === null
        ? this.countWrittenLinks(dataImport)
        : this.links.countImported(ownerId, source, id),
      file === null ? this.countsOfRows(dataImport) : this.counts.sumOfImport(id),
    ]);
    job.checkLease();
    const clicks = history.counted_clicks;
    const isAll = counted.clicks === clicks && counted.links === countedLinks;
    const removed = links < written ? await this.countRemoved(run) : 0;
    job.checkLease();
    // Deleting a link also deletes its counts, so fewer clicks are acceptable if links are missing.
    const isSameHistory = isAll || (links < written && counted.clicks <= clicks);
    const lost = await this.lostClicks(run, history.clicks);
    const isLost = lost > 0 && links === written;
    const differences =
      (isLost ? lost : 0) +
      Math.abs(rows - read) +
      Math.abs(links + removed - written) +
      (isSameHistory ? 0 : Math.abs(counted.clicks - clicks));
    await this.imports.keepProof(id, {
      rows_ok: rows === read,
      links_ok: links + removed === written,
      clicks_ok: isSameHistory && !isLost,
      differences,
    });
    if (differences > 0) {
      const found = `${rows} rows with a verdict, ${links} links, ${counted.clicks} clicks`;
      const expected = `${read} rows, ${written - removed} links, ${clicks} clicks`;
      const message = `The check of the import failed: found ${found}, expected ${expected}`;
      throw new CurtailError(409, 'conflict', message);
    }
    if (file === null) await this.imports.noteRun(id, job.input.sync === true);
    return { ...NOTHING_DONE, cursor: { ...cursor, stage: 'release', released: null } };
  }

  /** Once the result is stored, no page of clicks is recorded again. */
  async release({ dataImport, job }: StageRun, cursor: ReleaseCursor): Promise<ImportStep> {
    job.checkLease();
    const released = await this.nodes.forgetSome(dataImport.id, cursor.released);
    if (released !== null) return { ...NOTHING_DONE, cursor: { ...cursor, released } };
    await this.nodes.release(dataImport.id);
    const { startedAt } = job;
    await this.mails.tell(dataImport, { startedAt, counts: cursor.counts, error: null });
    return { ...NOTHING_DONE, cursor: null };
  }

  private async lostClicks({ dataImport, reader }: StageRun, clicks: number): Promise<number> {
    if (clicks === 0) return 0;
    if (reader.linkVisits !== undefined) return this.linkVisits.countLost(dataImport);
    return clicks - (await this.visits.countClicks(dataImport));
  }

  /** Counts existing links for written rows, including links deleted at the service. */
  private async countWrittenLinks(dataImport: Import): Promise<number> {
    let links = 0;
    for await (const rows of this.rows.allRows(dataImport.id)) {
      const ids = writtenLinkIds(rows);
      links += ids.length - (await this.links.missing(ids)).length;
    }
    return links;
  }

  private async countsOfRows(dataImport: Import): Promise<{ links: number; clicks: number }> {
    let [links, clicks] = [0, 0];
    for await (const rows of this.rows.allRows(dataImport.id)) {
      const taken = rows.filter(({ verdict }) => isTaken(verdict));
      const ids = taken.flatMap(({ linkId }) => linkId ?? []);
      for (const count of (await this.counts.findClicks(ids)).values()) {
        clicks += count;
        if (count > 0) links++;
      }
    }
    return { links, clicks };
  }

  private async countRemoved({ dataImport, job }: StageRun): Promise<number> {
    const { id, ownerId, createdAt } = dataImport;
    const noted = new Set(await this.removed.notedSince(ownerId, createdAt));
    // Once deletion records have expired, every missing link counts as deleted by its owner.
    const isNoted = Date.now() - createdAt.getTime() < NOTES_KEPT_MS;
    let removed = 0;
    for await (const rows of this.rows.allRows(id)) {
      job.checkLease();
      const missing = await this.links.missing(writtenLinkIds(rows));
      removed += isNoted ? missing.filter((linkId) => noted.has(linkId)).length : missing.length;
    }
    return removed;
  }
}
