import { Injectable } from '@nestjs/common';
import { BadRequestError, CurtailError } from '../common/errors';
import { MINUTE_MS } from '../common/time';
import { ImportFileOptions } from '../config/options';
import type { JobError } from '../infrastructure/jobs/job';
import { JobKind, type JobStep, type RunningJob } from '../infrastructure/jobs/job-kind';
import { TOTAL_ALONE } from '../stores/imported-counts/imported-counts';
import { ImportedCountsRepository } from '../stores/imported-counts/imported-counts.repository';
import { LinksRepository } from '../stores/links/links.repository';
import { RemovedLinksRepository } from '../stores/links/removed-links.repository';
import {
  type Import,
  type ImportHistory,
  type ImportProof,
  type ImportVerdict,
  isTaken,
  isWritten,
  NO_HISTORY,
  WRITTEN_VERDICTS,
} from './import';
import { HistorySample } from './history/history-sample';
import { type ForgottenRows, ImportNodes } from './history/import-nodes';
import { LinkVisitImport, type LinkVisitProgress } from './history/link-visit-import';
import {
  historyWithVisits,
  NO_VISITS,
  type SettledRows,
  VisitImport,
  type VisitProgress,
} from './history/visit-import';
import { ImportMails } from './import-mails';
import { ImportRemains } from './import-remains';
import type { ClaimingRow } from './import.schema';
import { ImportedLinksRepository } from './imported-links.repository';
import { ImportsRepository } from './imports.repository';
import { type ImportReader, type LinkVisits, wantedRows } from './reading/import-reader';
import { ImportReaders } from './reading/import-readers';
import { RowJudge } from './row-judge';

/** Parameters of the job of an import. */
export interface ImportInput {
  /** Whether it begins with the run: a check was done before. */
  readonly run: boolean;
  /** Whether a source that was imported is read again. */
  readonly sync?: boolean;
  /** Where a run that was cut off goes on; absent where it begins anew. */
  readonly from?: ImportCursor;
}

type Counts = Readonly<Partial<Record<string, number>>>;

/** How far an import is. */
export interface ImportCursor {
  /** `look` reads all rows for the first conflict, which ends the run before it writes. */
  readonly pass: 'check' | 'look' | 'write';
  /**
   * `clear` removes the verdicts of the pass before, `history` sums up what was found of each link,
   * `proof` counts what was made, `sample` compares some of it with the source, `release` gives up the
   * name under which clicks were recorded.
   */
  readonly stage: 'clear' | 'rows' | 'visits' | 'history' | 'proof' | 'sample' | 'release';
  /** Where the source is read on; null for its beginning. */
  readonly position: object | null;
  /** Number of the first row that is not read yet. */
  readonly row: number;
  readonly counts: Counts;
  readonly notes: Counts;
  /** Absent in cursors of before. */
  readonly history?: ImportHistory;
  /** From the stage of visits on. */
  readonly visits?: VisitProgress;
  /** The same of a service that lists them link by link. */
  readonly linkVisits?: LinkVisitProgress;
  /** From the stage of history on. */
  readonly settled?: SettledRows;
  /** From the stage of sample on. */
  readonly proof?: ImportProof;
  /** From the stage of release on. */
  readonly released?: ForgottenRows;
}

/** Notes of removed links stay at least so long. */
const NOTES_KEPT_MS = 50 * MINUTE_MS;

type Step = JobStep<ImportCursor>;
const NOTHING: Pick<Step, 'done'> = { done: 0 };

/**
 * Checks the rows of a file, and imports them (docs/contract.md#22.6). A step that is done twice
 * finds the links that it has made by their ids, and the rows that it has stored by theirs.
 */
@Injectable()
export class ImportJob extends JobKind<ImportInput, ImportCursor> {
  readonly name = 'import';

  constructor(
    private readonly imports: ImportsRepository,
    private readonly links: LinksRepository,
    private readonly judge: RowJudge,
    private readonly counts: ImportedCountsRepository,
    private readonly visits: VisitImport,
    private readonly sample: HistorySample,
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

  async step(job: RunningJob<ImportInput, ImportCursor>): Promise<Step> {
    const of = await this.imports.findById(job.id);
    if (of === null) return { ...NOTHING, cursor: null };
    const { from } = job.input;
    // It says again what it had found.
    if (job.cursor === null && from !== undefined) {
      return {
        done: sumOf(from.counts),
        counts: from.counts as Record<string, number>,
        cursor: from,
      };
    }
    const cursor = job.cursor ?? begin(job.input.run ? passesOf(of)[0] : 'check');
    const source = await this.readers.open(of, job);
    try {
      const step = await this.stepOf(source.import, job, cursor, source.reader);
      await this.readers.close(of, source);
      if (step.cursor === null) await this.remains.removeCopies(of);
      return step;
    } catch (error) {
      throw await this.readers.explained(of, source, error);
    } finally {
      // A step in hand may have stored something after its job was cancelled.
      if (job.signal.aborted) await this.remains.clear(of.id);
    }
  }

  private stepOf(
    of: Import,
    job: RunningJob<ImportInput>,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<Step> {
    switch (cursor.stage) {
      case 'clear':
        return this.clear(of, job, cursor);
      case 'rows':
        return this.rows(of, job, cursor, reader);
      case 'visits':
        return reader.linkVisits === undefined
          ? this.takeVisits(of, job, cursor, reader)
          : this.takeLinkVisits(of, job, cursor, reader.linkVisits);
      case 'history':
        return this.settleHistory(of, job, cursor, reader);
      case 'proof':
        return this.prove(of, job, cursor);
      case 'sample':
        return this.compare(of, job, cursor, reader);
      case 'release':
        return this.release(of, job, cursor);
    }
  }

  /** A check that has failed is seen at once, and by who waits for it. */
  override async beforeFailure(
    { id, input, cursor, startedAt }: RunningJob<ImportInput, ImportCursor>,
    error: JobError,
  ): Promise<void> {
    const of = await this.imports.findById(id);
    if (of === null) return;
    await this.remains.removeCutOff(of);
    if (!input.run && of.options.dry_run) return;
    await this.mails.tell(of, { startedAt, counts: cursor?.counts ?? {}, error });
  }

  private async clear(of: Import, job: RunningJob, cursor: ImportCursor): Promise<Step> {
    job.checkLease();
    if (await this.imports.clearRows(of.id)) return { ...NOTHING, cursor };
    this.judge.beginPass(of);
    if (cursor.pass !== 'check') await this.imports.beginRun(of.id, of.options);
    return { ...NOTHING, cursor: { ...cursor, stage: 'rows' } };
  }

  private async rows(
    of: Import,
    job: RunningJob,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<Step> {
    const page = await reader.page(of, cursor.position, cursor.row);
    const { checkLease } = job;
    const rows = wantedRows(of, page.rows);
    const { maxRows } = this.files;
    if (sumOf(cursor.counts) + rows.length > maxRows) {
      throw new BadRequestError(`An import may have ${maxRows} rows: divide it`);
    }
    const part = { of, reader, rows, first: cursor.row, checkLease };
    const judged = await this.judge.judge(part);
    if (cursor.pass === 'look') refuseConflict(judged.map(({ row }) => row));
    job.checkLease();
    const settled = cursor.pass === 'write' ? await this.judge.write(part, judged) : judged;
    if (cursor.pass === 'write') await this.saveCounts(of, settled, reader);
    if (cursor.pass === 'write' && of.file === null) await this.noteLinks(of, settled);
    job.checkLease();
    if (cursor.pass !== 'look') await this.imports.saveRows(of.id, settled);
    const isCounted = cursor.pass !== 'look';
    const counted = isCounted ? settled.map(({ row }) => row) : [];
    const counts = tallied(counted.map(({ verdict }) => verdict));
    const notes = sum(cursor.notes, tallied(counted.flatMap((row) => [...row.notes])));
    const history = historySum(cursor.history, of.options.history === 'none' ? [] : settled);
    if (isCounted) await this.imports.keepFound(of.id, notes, foretold(of, history, reader));
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
    if (cursor.pass === 'write' && of.options.history !== 'none' && reader.linkVisits) {
      const linkVisits = { step: of.visitStep, link: null, reading: null };
      return { ...step, cursor: { ...next, stage: 'visits', linkVisits } };
    }
    const hasVisits = cursor.pass !== 'look' && this.visits.isWanted(of, reader);
    return hasVisits
      ? { ...step, cursor: { ...next, stage: 'visits' } }
      : ended(of, job, next, step);
  }

  /** Single clicks, when all links are there: a dump may have them before the links. */
  private async takeVisits(
    of: Import,
    job: RunningJob,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<Step> {
    const writes = cursor.pass === 'write' ? job : null;
    const { visits: before = NO_VISITS } = cursor;
    const { progress, isEnd } = await this.visits.takePage(of, reader, before, writes);
    job.checkLease();
    const history = historyWithVisits(of, reader, cursor.history, progress);
    await this.imports.keepFound(of.id, cursor.notes, history);
    const next = { ...cursor, visits: progress };
    if (!isEnd) return { ...NOTHING, cursor: next };
    if (writes !== null) await this.visits.finish(of);
    return { ...NOTHING, cursor: { ...next, stage: 'history' } };
  }

  /** Figures of single links, which are known once all visits are read. */
  private async settleHistory(
    of: Import,
    job: RunningJob,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<Step> {
    const before = cursor.settled ?? {
      after: null,
      history: await this.historyOfVisits(of, cursor, reader),
      ...{ countedLinks: 0, partial: 0, isEnd: false },
    };
    job.checkLease();
    const settled = await this.visits.settleRows(of, reader, before);
    if (!settled.isEnd) return { ...NOTHING, cursor: { ...cursor, settled } };
    const { history, partial } = settled;
    const notes = partial > 0 ? { ...cursor.notes, history_partial: partial } : cursor.notes;
    await this.imports.keepFound(of.id, notes, history);
    return ended(of, job, { ...cursor, notes, history, settled }, NOTHING);
  }

  /** Figures that the visits alone tell. */
  private async historyOfVisits(
    of: Import,
    { history, visits = NO_VISITS }: ImportCursor,
    reader: ImportReader,
  ): Promise<ImportHistory> {
    if (reader.linkVisits === undefined) {
      const { dropped_clicks } = historyWithVisits(of, reader, history, visits);
      return { ...NO_HISTORY, dropped_clicks };
    }
    const { taken, dropped } = await this.imported.sums(of.id);
    return {
      ...NO_HISTORY,
      clicks: of.options.history === 'counts' ? 0 : taken,
      dropped_clicks: (history?.dropped_clicks ?? 0) + dropped,
    };
  }

  /** The same of new visits, link by link. */
  private async takeLinkVisits(
    of: Import,
    job: RunningJob,
    cursor: ImportCursor,
    visitsOf: LinkVisits,
  ): Promise<Step> {
    const before = cursor.linkVisits ?? { step: of.visitStep, link: null, reading: null };
    // A number of before is never given to other clicks, whatever run they belong to.
    await this.imports.keepVisitStep(of.id, before.step + 1);
    const taken = await this.linkVisits.takeStep(of, visitsOf, before, job.checkLease);
    job.checkLease();
    const next = { ...cursor, linkVisits: taken.progress };
    if (!taken.isEnd) return { ...NOTHING, cursor: next };
    await this.visits.finish(of);
    return { ...NOTHING, cursor: { ...next, stage: 'history' } };
  }

  /** Notes what was made of links of a service, and how many visits they have there. */
  private async noteLinks(of: Import, settled: readonly ClaimingRow[]): Promise<void> {
    const links = settled.flatMap(({ row: { linkId: id, verdict }, sourceId, clicks: visits }) =>
      id === null ? [] : [{ id, sourceId: sourceId ?? '', visits, isMade: isWritten(verdict) }],
    );
    await this.imported.note(of.id, links);
  }

  /** Clicks of before that a source tells as totals (docs/contract.md#22.4). */
  private async saveCounts(
    of: Import,
    settled: readonly ClaimingRow[],
    reader: ImportReader,
  ): Promise<void> {
    const { id: importId, ownerId, source, options } = of;
    const made = settled.flatMap(({ row: { linkId, verdict }, clicks, counts }) =>
      linkId !== null && isTaken(verdict) ? [{ linkId, clicks, ...(counts ?? TOTAL_ALONE) }] : [],
    );
    if (options.history === 'none') {
      // An earlier try of the run may have been to take them.
      await this.counts.remove(made.map(({ linkId }) => linkId));
      return;
    }
    const about = { ownerId, importId, source };
    const taken =
      reader.linkVisits === undefined
        ? new Map<string, number>()
        : await this.imported.taken(made.map(({ linkId }) => linkId));
    const known = made.filter(({ linkId }) => taken.has(linkId));
    await this.counts.saveTotals(
      ownerId,
      known.map((link) => ({ ...link, ...about })),
      taken,
      options.history === 'counts',
    );
    const others = made.filter(({ linkId }) => !taken.has(linkId));
    const counted = others.filter(({ clicks }) => clicks > 0);
    const none = others.filter(({ clicks }) => clicks === 0);
    await this.counts.remove(none.map(({ linkId }) => linkId));
    await this.counts.save(
      ownerId,
      counted.map((link) => ({ ...link, ...about })),
    );
  }

  /** Counts what there is now (docs/contract.md#22.8). */
  private async prove(
    of: Import,
    job: RunningJob<ImportInput>,
    cursor: ImportCursor,
  ): Promise<Step> {
    const written = WRITTEN_VERDICTS.reduce((n, verdict) => n + (cursor.counts[verdict] ?? 0), 0);
    const read = sumOf(cursor.counts);
    const [rows, links, counted] = await Promise.all([
      this.imports.countRows(of.id),
      of.file === null
        ? this.writtenLinks(of)
        : this.links.countImported(of.ownerId, of.source, of.id),
      of.file === null ? this.countsOfRows(of) : this.counts.sumOfImport(of.id),
    ]);
    job.checkLease();
    const { history = NO_HISTORY, settled } = cursor;
    const { links_with_history: withHistory, counted_clicks: clicks } = history;
    const isAll =
      counted.clicks === clicks && counted.links === (settled?.countedLinks ?? withHistory);
    const removed = links < written ? await this.removedSince(of, job) : 0;
    job.checkLease();
    // Counts go with links that somebody has removed since.
    const isSameHistory = isAll || (links < written && counted.clicks <= clicks);
    const lost = await this.lostClicks(of, history, cursor);
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
      sampled: 0,
      differences,
    };
    if (differences > 0) {
      await this.imports.keepProof(of.id, proof);
      const found = `${rows} rows with a verdict, ${links} links, ${counted.clicks} clicks`;
      const expected = `${read} rows, ${written - removed} links, ${clicks} clicks`;
      const message = `The proof of the import has failed: there are ${found}, where it has noted ${expected}`;
      throw new CurtailError(409, 'conflict', message);
    }
    return { ...NOTHING, cursor: { ...cursor, stage: 'sample', proof } };
  }

  /** Compares the history of some links with the source, and stores the proof. */
  private async compare(
    of: Import,
    job: RunningJob<ImportInput>,
    cursor: ImportCursor,
    reader: ImportReader,
  ): Promise<Step> {
    const { proof = { rows_ok: true, links_ok: true, clicks_ok: true, differences: 0 } } = cursor;
    const { sampled, differences, named } = await this.sample.compare(of, reader, job.checkLease);
    job.checkLease();
    await this.imports.keepProof(of.id, { ...proof, sampled, differences });
    if (differences > 0) {
      const message = `The proof of the import has failed: ${named.join('; ')}`;
      throw new CurtailError(409, 'conflict', message);
    }
    if (of.file === null) await this.imports.noteRun(of.id, job.input.sync === true);
    return { ...NOTHING, cursor: { ...cursor, stage: 'release' } };
  }

  /** Nothing is recorded again once the proof is stored. */
  private async release(of: Import, job: RunningJob, cursor: ImportCursor): Promise<Step> {
    job.checkLease();
    const released = await this.nodes.forgetSome(of.id, cursor.released ?? null);
    if (released !== null) return { ...NOTHING, cursor: { ...cursor, released } };
    await this.nodes.release(of.id);
    await this.mails.tell(of, { startedAt: job.startedAt, counts: cursor.counts, error: null });
    return { ...NOTHING, cursor: null };
  }

  private async lostClicks(
    of: Import,
    { clicks }: ImportHistory,
    { linkVisits }: ImportCursor,
  ): Promise<number> {
    if (clicks === 0) return 0;
    if (linkVisits !== undefined) return this.linkVisits.countLost(of);
    return clicks - (await this.visits.countClicks(of));
  }

  /** Links of the rows that were written, as far as they are there: what a service has no more stays. */
  private async writtenLinks(of: Import): Promise<number> {
    let links = 0;
    for await (const rows of this.imports.allRows(of.id)) {
      const ids = rows.flatMap(({ linkId, verdict }) =>
        linkId !== null && isWritten(verdict) ? [linkId] : [],
      );
      links += ids.length - (await this.links.missing(ids)).length;
    }
    return links;
  }

  private async countsOfRows(of: Import): Promise<{ links: number; clicks: number }> {
    let [links, clicks] = [0, 0];
    for await (const rows of this.imports.allRows(of.id)) {
      const ids = rows.flatMap(({ linkId, verdict }) =>
        linkId !== null && isTaken(verdict) ? [linkId] : [],
      );
      for (const count of (await this.counts.clicksOf(ids)).values()) {
        clicks += count;
        if (count > 0) links++;
      }
    }
    return { links, clicks };
  }

  /** Number of links of the run that somebody has removed meanwhile. */
  private async removedSince(of: Import, job: RunningJob): Promise<number> {
    const noted = new Set(await this.removed.notedSince(of.ownerId, of.createdAt));
    // Notes are forgotten in time: after that, a link that is missing counts as removed.
    const isNoted = Date.now() - of.createdAt.getTime() < NOTES_KEPT_MS;
    let removed = 0;
    for await (const rows of this.imports.allRows(of.id)) {
      job.checkLease();
      const made = rows.flatMap(({ linkId, verdict }) =>
        linkId !== null && isWritten(verdict) ? [linkId] : [],
      );
      const missing = await this.links.missing(made);
      removed += isNoted ? missing.filter((id) => noted.has(id)).length : missing.length;
    }
    return removed;
  }
}

function passesOf(of: Import): ['look' | 'write', ...'write'[]] {
  return of.options.on_conflict === 'fail' ? ['look', 'write'] : ['write'];
}

function begin(pass: ImportCursor['pass']): ImportCursor {
  return { pass, stage: 'clear', position: null, row: 1, counts: {}, notes: {} };
}

/** The step after the last row of a pass. */
function ended(
  of: Import,
  job: RunningJob,
  cursor: ImportCursor,
  step: Omit<Step, 'cursor'>,
): Step {
  const total = job.done + step.done;
  if (cursor.pass === 'write') return { ...step, total, cursor: { ...cursor, stage: 'proof' } };
  if (cursor.pass === 'check' && of.options.dry_run) return { ...step, total, cursor: null };
  // The run follows at once, and counts for itself.
  const pass = cursor.pass === 'look' ? 'write' : passesOf(of)[0];
  const undone = Object.entries(cursor.counts).map(([verdict, n]) => {
    return [verdict, (step.counts?.[verdict] ?? 0) - (n ?? 0)] as const;
  });
  return { ...step, counts: Object.fromEntries(undone), cursor: begin(pass) };
}

/** Clicks of rows that an import knows already came with it then. */
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

/** Ends a run before it writes: nothing was changed. */
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

function tallied(words: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function sum(one: Counts, other: Counts): Counts {
  const counts: Record<string, number> = { ...(one as Record<string, number>) };
  for (const [word, n] of Object.entries(other)) counts[word] = (counts[word] ?? 0) + (n ?? 0);
  return counts;
}

function sumOf(counts: Counts): number {
  return Object.values(counts).reduce<number>((n, count) => n + (count ?? 0), 0);
}

/** The history of links whose visits are read later: they will be clicks. */
function foretold(
  { options }: Import,
  history: ImportHistory,
  { linkVisits }: ImportReader,
): ImportHistory {
  if (linkVisits === undefined || options.history !== 'all') return history;
  return { ...history, clicks: history.counted_clicks, counted_clicks: 0 };
}
