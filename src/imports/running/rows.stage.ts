import { Injectable } from '@nestjs/common';
import { BadRequestError, CurtailError } from '../../common/errors';
import { ImportFileOptions } from '../../config/options';
import { TOTAL_ALONE } from '../../stores/imported-counts/imported-counts';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { dropLostCounts } from '../history/lost-counts';
import { NO_VISITS, VisitImport } from '../history/visit-import';
import { type ImportReader, type ReadPage, wantedRows } from '../reading/import-reader';
import {
  type Import,
  type ImportHistory,
  type ImportRow,
  isTaken,
  isWritten,
} from '../store/import';
import type { ClaimingRow } from '../store/import.schema';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { ImportsRepository } from '../store/imports.repository';
import { RowJudge } from '../verdicts/row-judge';
import type { Judged } from '../verdicts/row.rules';
import { RowWriter } from '../verdicts/row-writer';
import {
  type ClearCursor,
  endPass,
  type ImportStep,
  NOTHING_DONE,
  type PassProgress,
  type RowsCursor,
  shownCounts,
  type StageRun,
  totalCount,
  type VerdictCounts,
} from './import-cursor';

/** Reads rows and determines their verdicts; a run also creates the links. */
@Injectable()
export class RowsStage {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly imported: ImportedLinksRepository,
    private readonly counts: ImportedCountsRepository,
    private readonly links: LinkReads,
    private readonly judge: RowJudge,
    private readonly writer: RowWriter,
    private readonly visits: VisitImport,
    private readonly files: ImportFileOptions,
  ) {}

  async clear({ dataImport, job }: StageRun, cursor: ClearCursor): Promise<ImportStep> {
    job.checkLease();
    if (await this.rows.clearRows(dataImport.id)) return { ...NOTHING_DONE, cursor };
    this.judge.beginPass(dataImport);
    if (cursor.pass !== 'check') await this.imports.beginRun(dataImport.id, dataImport.options);
    return { ...NOTHING_DONE, cursor: { ...cursor, stage: 'rows', position: null, row: 1 } };
  }

  async read(run: StageRun, cursor: RowsCursor): Promise<ImportStep> {
    const { dataImport, job, reader } = run;
    const { pass } = cursor;
    const page = await reader.page(dataImport, cursor.position, cursor.row);
    const rows = wantedRows(dataImport, page.rows);
    const { maxRows } = this.files;
    if (totalCount(cursor.counts) + rows.length > maxRows) {
      throw new BadRequestError(`An import may have at most ${maxRows} rows: split it`);
    }
    const part = {
      of: dataImport,
      reader,
      rows,
      first: cursor.row,
      checkLease: job.checkLease,
    };
    const settle = async (): Promise<readonly ClaimingRow[]> => {
      const judged = await this.judge.judge(part);
      if (pass === 'look') refuseConflict(judged.map(({ row }) => row));
      job.checkLease();
      return pass === 'write' ? this.writeRows(run, judged) : judged;
    };
    let settled = await settle();
    // A deletion of clicks that began before the import may take effect after the verdicts.
    if (pass === 'write' && (await this.dropLost(dataImport, settled))) settled = await settle();
    job.checkLease();
    const counted = pass === 'look' ? [] : settled;
    await this.rows.saveRows(dataImport.id, counted);
    const counts = countVerdicts(counted.map(({ row }) => row.verdict));
    const notes = countVerdicts(counted.flatMap(({ row }) => [...row.notes]));
    const isHistoryWanted = dataImport.options.history !== 'none';
    const progress: PassProgress = {
      pass,
      counts: sum(cursor.counts, counts),
      notes: sum(cursor.notes, notes),
      history: historySum(cursor.history, isHistoryWanted ? settled : []),
    };
    if (pass !== 'look') {
      const expected = expectedHistory(dataImport, progress.history, reader);
      await this.imports.keepFound(dataImport.id, progress.notes, expected);
    }
    const step = {
      done: counted.length,
      ...shownCounts(dataImport, pass, counts),
      ...expectedRows(run, cursor, page),
    };
    if (page.next !== null) {
      const cursor: RowsCursor = {
        ...progress,
        stage: 'rows',
        position: page.next,
        row: page.nextRow,
      };
      return { ...step, cursor };
    }
    if (pass === 'write' && isHistoryWanted && reader.linkVisits) {
      const linkVisits = { step: dataImport.visitStep, link: null, reading: null };
      return { ...step, cursor: { ...progress, stage: 'linkVisits', linkVisits } };
    }
    return pass !== 'look' && this.visits.isWanted(dataImport, reader)
      ? { ...step, cursor: { ...progress, stage: 'visits', visits: NO_VISITS } }
      : endPass(run, progress, progress.history.links_with_history, step);
  }

  private async writeRows(
    { dataImport, reader }: StageRun,
    judged: readonly Judged[],
  ): Promise<readonly ClaimingRow[]> {
    const settled = await this.writer.write(dataImport, judged);
    await this.saveCounts(dataImport, settled, reader);
    if (dataImport.file === null) await this.noteLinks(dataImport, settled);
    return settled;
  }

  private dropLost({ ownerId }: Import, settled: readonly ClaimingRow[]): Promise<boolean> {
    const ids = settled.flatMap(({ row: { linkId, verdict }, clicks }) =>
      linkId !== null && clicks > 0 && isTaken(verdict) ? [linkId] : [],
    );
    return dropLostCounts(this.links, this.counts, ownerId, ids);
  }

  private async noteLinks(dataImport: Import, settled: readonly ClaimingRow[]): Promise<void> {
    const links = settled.flatMap(({ row: { linkId: id, verdict }, sourceId, clicks: visits }) =>
      id === null ? [] : [{ id, sourceId: sourceId ?? '', visits, isMade: isWritten(verdict) }],
    );
    await this.imported.note(dataImport.id, links);
  }

  /** Stores past clicks that the source reports as totals (docs/contract.md#22.4). */
  private async saveCounts(
    { id: importId, ownerId, source, options }: Import,
    settled: readonly ClaimingRow[],
    reader: ImportReader,
  ): Promise<void> {
    const counts = settled.flatMap(({ row: { linkId, verdict }, clicks, ...rest }) => {
      if (linkId === null || !isTaken(verdict)) return [];
      const { counts: series = TOTAL_ALONE, countsSource = source } = rest;
      return [{ linkId, clicks, ...series, ownerId, importId, source: countsSource }];
    });
    const ids = counts.map(({ linkId }) => linkId);
    if (options.history === 'none') {
      // An earlier attempt of this run may have stored counts.
      await this.counts.remove(ids);
      return;
    }
    const taken =
      reader.linkVisits === undefined ? new Map<string, number>() : await this.imported.taken(ids);
    const known = counts.filter(({ linkId }) => taken.has(linkId));
    await this.counts.saveTotals(ownerId, known, taken, options.history === 'counts');
    const others = counts.filter(({ linkId }) => !taken.has(linkId));
    const none = others.filter(({ clicks }) => clicks === 0);
    await this.counts.remove(none.map(({ linkId }) => linkId));
    await this.counts.save(
      ownerId,
      others.filter(({ clicks }) => clicks > 0),
    );
  }
}

/** Leaves the total unknown if rows are skipped, or if a second pass follows. */
function expectedRows(
  { dataImport: { options }, job }: StageRun,
  { pass, counts }: RowsCursor,
  { total }: ReadPage,
): Pick<ImportStep, 'total'> {
  const isKnown = options.short_domain === null && (pass === 'write' || options.dry_run);
  return isKnown && total !== undefined ? { total: job.done - totalCount(counts) + total } : {};
}

/** Skips rows whose clicks an earlier import has already counted. */
function historySum(
  before: ImportHistory,
  rows: readonly Pick<ClaimingRow, 'clicks' | 'row'>[],
): ImportHistory {
  const sum = { ...before };
  for (const { row, clicks } of rows) {
    if (clicks === 0 || row.verdict === 'unchanged') continue;
    if (isTaken(row.verdict)) {
      sum.counted_clicks += clicks;
      sum.links_with_history += 1;
    } else sum.dropped_clicks += clicks;
  }
  return sum;
}

/** Expected history if a later stage records each link's visits as clicks. */
function expectedHistory(
  { options }: Import,
  history: ImportHistory,
  { linkVisits }: ImportReader,
): ImportHistory {
  if (linkVisits === undefined || options.history !== 'all') return history;
  return { ...history, clicks: history.counted_clicks, counted_clicks: 0 };
}

function refuseConflict(rows: readonly ImportRow[]): void {
  const taken = rows.find(({ verdict }) => verdict === 'alias_taken');
  if (taken === undefined) return;
  throw new CurtailError(
    409,
    'conflict',
    `Row ${taken.row}: another link has the alias ${taken.alias ?? ''}; nothing was imported`,
  );
}

function countVerdicts(words: readonly string[]): VerdictCounts {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function sum(before: VerdictCounts, added: VerdictCounts): VerdictCounts {
  const counts: Record<string, number> = { ...(before as Record<string, number>) };
  for (const [word, n] of Object.entries(added)) counts[word] = (counts[word] ?? 0) + (n ?? 0);
  return counts;
}
