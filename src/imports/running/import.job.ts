import { Injectable } from '@nestjs/common';
import { BadRequestError, CurtailError } from '../../common/errors';
import { MINUTE_MS } from '../../common/time';
import { ImportFileOptions } from '../../config/options';
import type { JobError } from '../../infrastructure/jobs/job';
import { JobKind, type JobStep, type RunningJob } from '../../infrastructure/jobs/job-kind';
import { TOTAL_ALONE } from '../../stores/imported-counts/imported-counts';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import {
  type Import,
  type ImportHistory,
  type ImportVerdict,
  isTaken,
  isWritten,
  NO_HISTORY,
  WRITTEN_VERDICTS,
} from '../store/import';
import { type ForgottenRows, ImportNodes } from '../history/import-nodes';
import { LinkVisitImport, type LinkVisitProgress } from '../history/link-visit-import';
import {
  historyWithVisits,
  NO_VISITS,
  type SettledRows,
  VisitImport,
  type VisitProgress,
} from '../history/visit-import';
import { ImportMails } from './import-mails';
import { ImportRemains } from './import-remains';
import type { ClaimingRow } from '../store/import.schema';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportsRepository } from '../store/imports.repository';
import { type ImportReader, type LinkVisits, wantedRows } from '../reading/import-reader';
import { ImportReaders } from './import-readers';
import { RowJudge } from '../verdicts/row-judge';

export interface ImportInput {
  /** Starts with the run: the check is already done. */
  readonly run: boolean;
  readonly sync?: boolean;
  /** Where an interrupted run continues; absent for a new start. */
  readonly from?: ImportCursor;
}

type VerdictCounts = Readonly<Partial<Record<string, number>>>;

export interface ImportCursor {
  /** `look` searches all rows for a conflict, which ends the run before it writes. */
  readonly pass: 'check' | 'look' | 'write';
  /**
   * `clear` removes verdicts of the previous pass, `history` totals each link's visits, `proof`
   * counts the results, `release` frees the node name.
   */
  readonly stage: 'clear' | 'rows' | 'visits' | 'history' | 'proof' | 'release';
  /** Position in the source; null for its start. */
  readonly position: object | null;
  /** Number of the first unread row. */
  readonly row: number;
  readonly counts: VerdictCounts;
  readonly notes: VerdictCounts;
  /** Absent in cursors of earlier releases. */
  readonly history?: ImportHistory;
  /** From stage `visits` on. */
  readonly visits?: VisitProgress;
  /** For services that list visits per link. */
  readonly linkVisits?: LinkVisitProgress;
  /** From stage `history` on. */
  readonly settled?: SettledRows;
  /** From stage `release` on. */
  readonly released?: ForgottenRows;
}

/** Minimum retention of notes about removed links. */
const NOTES_KEPT_MS = 50 * MINUTE_MS;

type ImportStep = JobStep<ImportCursor>;
const NOTHING_DONE: Pick<ImportStep, 'done'> = { done: 0 };

/** Steps are idempotent: links and rows of an earlier attempt are found by their ids. */
@Injectable()
export class ImportJob extends JobKind<ImportInput, ImportCursor> {
  readonly name = 'import';

  constructor(
    private readonly imports: ImportsRepository,
    private readonly links: LinksRepository,
    private readonly judge: RowJudge,
    private readonly counts: ImportedCountsRepository,
    private readonly visits: VisitImport,
    private readonly nodes: ImportNodes,
    private readonly removed: RemovedLinksRepository,
    private readonly mails: ImportMails,
    private readonly readers: ImportReaders,
    private readonly linkVisits: LinkVisitImport,
    private readonly imported: ImportedLinksRepository,
    private readonly remains: ImportRemains,
    private readonly files: ImportFileOptions,
  ) {
    super();
  }

  async step(job: RunningJob<ImportInput, ImportCursor>): Promise<ImportStep> {
    const dataImport = await this.imports.findById(job.id);
    if (dataImport === null) return { ...NOTHING_DONE, cursor: null };
    const { from } = job.input;
    // Reports the interrupted run's counts again.
    if (job.cursor === null && from !== undefined) {
      return {
        done: totalCount(from.counts),
        counts: from.counts as Record<string, number>,
        cursor: from,
      };
    }
    const cursor = job.cursor ?? begin(job.input.run ? importPasses(dataImport)[0] : 'check');
    const source = await this.readers.open(dataImport, job);
    try {
      const step = await this.runStage(source.import, job, cursor, source.reader);
      await this.readers.close(dataImport, source);
      if (step.cursor === null) await this.remains.removeCopies(dataImport);
      return step;
    } catch (error) {
      throw await this.readers.explained(dataImport, source, error);
    } finally {
      // The current step may have stored data after its job was cancelled.
      if (job.signal.aborted) await this.remains.clear(dataImport.id);
    }
  }

  private runStage(
    dataImport: Import,
    job: RunningJob<ImportInput>,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<ImportStep> {
    switch (cursor.stage) {
      case 'clear':
        return this.clear(dataImport, job, cursor);
      case 'rows':
        return this.rows(dataImport, job, cursor, reader);
      case 'visits':
        return reader.linkVisits === undefined
          ? this.takeVisits(dataImport, job, cursor, reader)
          : this.takeLinkVisits(dataImport, job, cursor, reader.linkVisits);
      case 'history':
        return this.settleHistory(dataImport, job, cursor, reader);
      case 'proof':
        return this.prove(dataImport, job, cursor);
      case 'release':
        return this.release(dataImport, job, cursor);
    }
  }

  /** A failed check sends no mail: its client is waiting for the result. */
  override async beforeFailure(
    { id, input, cursor, startedAt }: RunningJob<ImportInput, ImportCursor>,
    error: JobError,
  ): Promise<void> {
    const dataImport = await this.imports.findById(id);
    if (dataImport === null) return;
    await this.remains.removeCutOff(dataImport);
    if (!input.run && dataImport.options.dry_run) return;
    await this.mails.tell(dataImport, { startedAt, counts: cursor?.counts ?? {}, error });
  }

  private async clear(
    dataImport: Import,
    job: RunningJob,
    cursor: ImportCursor,
  ): Promise<ImportStep> {
    job.checkLease();
    if (await this.imports.clearRows(dataImport.id)) return { ...NOTHING_DONE, cursor };
    this.judge.beginPass(dataImport);
    if (cursor.pass !== 'check') await this.imports.beginRun(dataImport.id, dataImport.options);
    return { ...NOTHING_DONE, cursor: { ...cursor, stage: 'rows' } };
  }

  private async rows(
    dataImport: Import,
    job: RunningJob,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<ImportStep> {
    const page = await reader.page(dataImport, cursor.position, cursor.row);
    const { checkLease } = job;
    const rows = wantedRows(dataImport, page.rows);
    const { maxRows } = this.files;
    if (totalCount(cursor.counts) + rows.length > maxRows) {
      throw new BadRequestError(`An import may have ${maxRows} rows: divide it`);
    }
    const part = { of: dataImport, reader, rows, first: cursor.row, checkLease };
    const judged = await this.judge.judge(part);
    if (cursor.pass === 'look') refuseConflict(judged.map(({ row }) => row));
    job.checkLease();
    const settled = cursor.pass === 'write' ? await this.judge.write(part, judged) : judged;
    if (cursor.pass === 'write') await this.saveCounts(dataImport, settled, reader);
    if (cursor.pass === 'write' && dataImport.file === null)
      await this.noteLinks(dataImport, settled);
    job.checkLease();
    if (cursor.pass !== 'look') await this.imports.saveRows(dataImport.id, settled);
    const isCounted = cursor.pass !== 'look';
    const counted = isCounted ? settled.map(({ row }) => row) : [];
    const counts = countVerdicts(counted.map(({ verdict }) => verdict));
    const notes = sum(cursor.notes, countVerdicts(counted.flatMap((row) => [...row.notes])));
    const history = historySum(
      cursor.history,
      dataImport.options.history === 'none' ? [] : settled,
    );
    if (isCounted)
      await this.imports.keepFound(dataImport.id, notes, foretold(dataImport, history, reader));
    const next = {
      ...cursor,
      position: page.next,
      row: page.nextRow,
      counts: sum(cursor.counts, counts),
      notes,
      history,
    };
    const step = { done: counted.length, counts: counts as Record<string, number> };
    if (page.next !== null) return { ...step, cursor: next };
    if (cursor.pass === 'write' && dataImport.options.history !== 'none' && reader.linkVisits) {
      const linkVisits = { step: dataImport.visitStep, link: null, reading: null };
      return { ...step, cursor: { ...next, stage: 'visits', linkVisits } };
    }
    const hasVisits = cursor.pass !== 'look' && this.visits.isWanted(dataImport, reader);
    return hasVisits
      ? { ...step, cursor: { ...next, stage: 'visits' } }
      : endPass(dataImport, job, next, step);
  }

  /** Runs after all links exist: a dump may list visits before links. */
  private async takeVisits(
    dataImport: Import,
    job: RunningJob,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<ImportStep> {
    const writes = cursor.pass === 'write' ? job : null;
    const { visits: before = NO_VISITS } = cursor;
    const { progress, isEnd } = await this.visits.takePage(dataImport, reader, before, writes);
    job.checkLease();
    const history = historyWithVisits(dataImport, reader, cursor.history, progress);
    await this.imports.keepFound(dataImport.id, cursor.notes, history);
    const next = { ...cursor, visits: progress };
    if (!isEnd) return { ...NOTHING_DONE, cursor: next };
    if (writes !== null) await this.visits.finish(dataImport);
    return { ...NOTHING_DONE, cursor: { ...next, stage: 'history' } };
  }

  private async settleHistory(
    dataImport: Import,
    job: RunningJob,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<ImportStep> {
    const before = cursor.settled ?? {
      after: null,
      history: await this.historyOfVisits(dataImport, cursor, reader),
      ...{ countedLinks: 0, partial: 0, isEnd: false },
    };
    job.checkLease();
    const settled = await this.visits.settleRows(dataImport, reader, before);
    if (!settled.isEnd) return { ...NOTHING_DONE, cursor: { ...cursor, settled } };
    const { history, partial } = settled;
    const notes = partial > 0 ? { ...cursor.notes, history_partial: partial } : cursor.notes;
    await this.imports.keepFound(dataImport.id, notes, history);
    return endPass(dataImport, job, { ...cursor, notes, history, settled }, NOTHING_DONE);
  }

  private async historyOfVisits(
    dataImport: Import,
    { history, visits = NO_VISITS }: ImportCursor,
    reader: ImportReader,
  ): Promise<ImportHistory> {
    if (reader.linkVisits === undefined) {
      const { dropped_clicks } = historyWithVisits(dataImport, reader, history, visits);
      return { ...NO_HISTORY, dropped_clicks };
    }
    const { taken, dropped } = await this.imported.sums(dataImport.id);
    return {
      ...NO_HISTORY,
      clicks: dataImport.options.history === 'counts' ? 0 : taken,
      dropped_clicks: (history?.dropped_clicks ?? 0) + dropped,
    };
  }

  private async takeLinkVisits(
    dataImport: Import,
    job: RunningJob,
    cursor: ImportCursor,
    visitsOf: LinkVisits,
  ): Promise<ImportStep> {
    const before = cursor.linkVisits ?? { step: dataImport.visitStep, link: null, reading: null };
    // Step numbers are never reused, so clicks from different runs cannot collide.
    await this.imports.keepVisitStep(dataImport.id, before.step + 1);
    const taken = await this.linkVisits.takeStep(dataImport, visitsOf, before, job.checkLease);
    job.checkLease();
    const next = { ...cursor, linkVisits: taken.progress };
    if (!taken.isEnd) return { ...NOTHING_DONE, cursor: next };
    await this.visits.finish(dataImport);
    return { ...NOTHING_DONE, cursor: { ...next, stage: 'history' } };
  }

  private async noteLinks(dataImport: Import, settled: readonly ClaimingRow[]): Promise<void> {
    const links = settled.flatMap(({ row: { linkId: id, verdict }, sourceId, clicks: visits }) =>
      id === null ? [] : [{ id, sourceId: sourceId ?? '', visits, isMade: isWritten(verdict) }],
    );
    await this.imported.note(dataImport.id, links);
  }

  /** Stores past clicks that a source reports as totals (docs/contract.md#22.4). */
  private async saveCounts(
    dataImport: Import,
    settled: readonly ClaimingRow[],
    reader: ImportReader,
  ): Promise<void> {
    const { id: importId, ownerId, source, options } = dataImport;
    const linkHistories = settled.flatMap(({ row: { linkId, verdict }, clicks, counts }) =>
      linkId !== null && isTaken(verdict) ? [{ linkId, clicks, ...(counts ?? TOTAL_ALONE) }] : [],
    );
    if (options.history === 'none') {
      // An earlier attempt of the run may have stored counts.
      await this.counts.remove(linkHistories.map(({ linkId }) => linkId));
      return;
    }
    const about = { ownerId, importId, source };
    const taken =
      reader.linkVisits === undefined
        ? new Map<string, number>()
        : await this.imported.taken(linkHistories.map(({ linkId }) => linkId));
    const known = linkHistories.filter(({ linkId }) => taken.has(linkId));
    await this.counts.saveTotals(
      ownerId,
      known.map((link) => ({ ...link, ...about })),
      taken,
      options.history === 'counts',
    );
    const others = linkHistories.filter(({ linkId }) => !taken.has(linkId));
    const counted = others.filter(({ clicks }) => clicks > 0);
    const none = others.filter(({ clicks }) => clicks === 0);
    await this.counts.remove(none.map(({ linkId }) => linkId));
    await this.counts.save(
      ownerId,
      counted.map((link) => ({ ...link, ...about })),
    );
  }

  /** Counts the actual results (docs/contract.md#22.8). */
  private async prove(
    dataImport: Import,
    job: RunningJob<ImportInput>,
    cursor: ImportCursor,
  ): Promise<ImportStep> {
    const written = WRITTEN_VERDICTS.reduce((n, verdict) => n + (cursor.counts[verdict] ?? 0), 0);
    const read = totalCount(cursor.counts);
    const [rows, links, counted] = await Promise.all([
      this.imports.countRows(dataImport.id),
      dataImport.file === null
        ? this.writtenLinks(dataImport)
        : this.links.countImported(dataImport.ownerId, dataImport.source, dataImport.id),
      dataImport.file === null
        ? this.countsOfRows(dataImport)
        : this.counts.sumOfImport(dataImport.id),
    ]);
    job.checkLease();
    const { history = NO_HISTORY, settled } = cursor;
    const { links_with_history: withHistory, counted_clicks: clicks } = history;
    const isAll =
      counted.clicks === clicks && counted.links === (settled?.countedLinks ?? withHistory);
    const removed = links < written ? await this.removedSince(dataImport, job) : 0;
    job.checkLease();
    // Removing a link also removes its counts.
    const isSameHistory = isAll || (links < written && counted.clicks <= clicks);
    const lost = await this.lostClicks(dataImport, history, cursor);
    const isLost = lost > 0 && links === written;
    const differences =
      (isLost ? lost : 0) +
      Math.abs(rows - read) +
      Math.abs(links + removed - written) +
      (isSameHistory ? 0 : Math.abs(counted.clicks - clicks));
    const proof = {
      rows_ok: rows === read,
      links_ok: links + removed === written,
      clicks_ok: isSameHistory && !isLost,
      differences,
    };
    await this.imports.keepProof(dataImport.id, proof);
    if (differences > 0) {
      const found = `${rows} rows with a verdict, ${links} links, ${counted.clicks} clicks`;
      const expected = `${read} rows, ${written - removed} links, ${clicks} clicks`;
      const message = `The proof of the import has failed: there are ${found}, where it has noted ${expected}`;
      throw new CurtailError(409, 'conflict', message);
    }
    if (dataImport.file === null)
      await this.imports.noteRun(dataImport.id, job.input.sync === true);
    return { ...NOTHING_DONE, cursor: { ...cursor, stage: 'release' } };
  }

  /** No page is recorded again once the proof is stored. */
  private async release(
    dataImport: Import,
    job: RunningJob,
    cursor: ImportCursor,
  ): Promise<ImportStep> {
    job.checkLease();
    const released = await this.nodes.forgetSome(dataImport.id, cursor.released ?? null);
    if (released !== null) return { ...NOTHING_DONE, cursor: { ...cursor, released } };
    await this.nodes.release(dataImport.id);
    await this.mails.tell(dataImport, {
      startedAt: job.startedAt,
      counts: cursor.counts,
      error: null,
    });
    return { ...NOTHING_DONE, cursor: null };
  }

  private async lostClicks(
    dataImport: Import,
    { clicks }: ImportHistory,
    { linkVisits }: ImportCursor,
  ): Promise<number> {
    if (clicks === 0) return 0;
    if (linkVisits !== undefined) return this.linkVisits.countLost(dataImport);
    return clicks - (await this.visits.countClicks(dataImport));
  }

  /** Existing links of written rows, including links that the service no longer has. */
  private async writtenLinks(dataImport: Import): Promise<number> {
    let links = 0;
    for await (const rows of this.imports.allRows(dataImport.id)) {
      const ids = rows.flatMap(({ linkId, verdict }) =>
        linkId !== null && isWritten(verdict) ? [linkId] : [],
      );
      links += ids.length - (await this.links.missing(ids)).length;
    }
    return links;
  }

  private async countsOfRows(dataImport: Import): Promise<{ links: number; clicks: number }> {
    let [links, clicks] = [0, 0];
    for await (const rows of this.imports.allRows(dataImport.id)) {
      const ids = rows.flatMap(({ linkId, verdict }) =>
        linkId !== null && isTaken(verdict) ? [linkId] : [],
      );
      for (const count of (await this.counts.findClicks(ids)).values()) {
        clicks += count;
        if (count > 0) links++;
      }
    }
    return { links, clicks };
  }

  private async removedSince(dataImport: Import, job: RunningJob): Promise<number> {
    const noted = new Set(await this.removed.notedSince(dataImport.ownerId, dataImport.createdAt));
    // Notes expire: after that, every missing link counts as removed.
    const isNoted = Date.now() - dataImport.createdAt.getTime() < NOTES_KEPT_MS;
    let removed = 0;
    for await (const rows of this.imports.allRows(dataImport.id)) {
      job.checkLease();
      const writtenIds = rows.flatMap(({ linkId, verdict }) =>
        linkId !== null && isWritten(verdict) ? [linkId] : [],
      );
      const missing = await this.links.missing(writtenIds);
      removed += isNoted ? missing.filter((id) => noted.has(id)).length : missing.length;
    }
    return removed;
  }
}

function importPasses(dataImport: Import): ['look' | 'write', ...'write'[]] {
  return dataImport.options.on_conflict === 'fail' ? ['look', 'write'] : ['write'];
}

function begin(pass: ImportCursor['pass']): ImportCursor {
  return { pass, stage: 'clear', position: null, row: 1, counts: {}, notes: {} };
}

function endPass(
  dataImport: Import,
  job: RunningJob,
  cursor: ImportCursor,
  step: Omit<ImportStep, 'cursor'>,
): ImportStep {
  const total = job.done + step.done;
  if (cursor.pass === 'write') return { ...step, total, cursor: { ...cursor, stage: 'proof' } };
  if (cursor.pass === 'check' && dataImport.options.dry_run)
    return { ...step, total, cursor: null };
  // The next pass counts anew, so these counts are subtracted.
  const pass = cursor.pass === 'look' ? 'write' : importPasses(dataImport)[0];
  const undone = Object.entries(cursor.counts).map(([verdict, n]) => {
    return [verdict, (step.counts?.[verdict] ?? 0) - (n ?? 0)] as const;
  });
  return { ...step, counts: Object.fromEntries(undone), cursor: begin(pass) };
}

/** Omits rows whose clicks an earlier import has taken. */
function historySum(
  before: ImportHistory | undefined,
  rows: readonly Pick<ClaimingRow, 'clicks' | 'row'>[],
): ImportHistory {
  const sum = { ...(before ?? NO_HISTORY) };
  for (const { row, clicks } of rows) {
    if (clicks === 0 || row.verdict === 'unchanged') continue;
    if (isTaken(row.verdict)) {
      sum.counted_clicks += clicks;
      sum.links_with_history += 1;
    } else sum.dropped_clicks += clicks;
  }
  return sum;
}

function refuseConflict(
  rows: readonly { verdict: ImportVerdict; alias: string | null; row: number }[],
) {
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

function totalCount(counts: VerdictCounts): number {
  return Object.values(counts).reduce<number>((n, count) => n + (count ?? 0), 0);
}

/** Expected history of links whose visits will become clicks in a later stage. */
function foretold(
  { options }: Import,
  history: ImportHistory,
  { linkVisits }: ImportReader,
): ImportHistory {
  if (linkVisits === undefined || options.history !== 'all') return history;
  return { ...history, clicks: history.counted_clicks, counted_clicks: 0 };
}
