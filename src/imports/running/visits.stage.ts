import { Injectable } from '@nestjs/common';
import { LinkVisitImport } from '../history/link-visit-import';
import { historyWithVisits, type SettledRows, VisitImport } from '../history/visit-import';
import { type ImportHistory, NO_HISTORY } from '../store/import';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportsRepository } from '../store/imports.repository';
import {
  endPass,
  type HistoryCursor,
  type ImportStep,
  type LinkVisitsCursor,
  NOTHING_DONE,
  type PassProgress,
  type StageRun,
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
    const notes = partial > 0 ? { ...cursor.notes, history_partial: partial } : cursor.notes;
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
