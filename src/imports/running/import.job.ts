import { Injectable } from '@nestjs/common';
import type { JobError } from '../../infrastructure/jobs/job';
import { JobKind, type RunningJob } from '../../infrastructure/jobs/job-kind';
import { ImportsRepository } from '../store/imports.repository';
import {
  beginPass,
  firstRunPass,
  type ImportCursor,
  type ImportInput,
  type ImportStep,
  NOTHING_DONE,
  type StageRun,
  totalCount,
} from './import-cursor';
import { ImportMails } from './import-mails';
import { ImportReaders } from './import-readers';
import { ImportRemains } from './import-remains';
import { ProofStage } from './proof.stage';
import { RowsStage } from './rows.stage';
import { VisitsStage } from './visits.stage';

/** Steps are idempotent: a repeated step finds its links and rows by their ids. */
@Injectable()
export class ImportJob extends JobKind<ImportInput, ImportCursor> {
  readonly name = 'import';

  constructor(
    private readonly imports: ImportsRepository,
    private readonly readers: ImportReaders,
    private readonly rows: RowsStage,
    private readonly visits: VisitsStage,
    private readonly proof: ProofStage,
    private readonly mails: ImportMails,
    private readonly remains: ImportRemains,
  ) {
    super();
  }

  async step(job: RunningJob<ImportInput, ImportCursor>): Promise<ImportStep> {
    const dataImport = await this.imports.findById(job.id);
    if (dataImport === null) return { ...NOTHING_DONE, cursor: null };
    const { from } = job.input;
    // Resumes with the interrupted run's counts.
    if (job.cursor === null && from !== undefined) {
      return {
        done: totalCount(from.counts),
        counts: from.counts as Record<string, number>,
        cursor: from,
      };
    }
    const cursor = job.cursor ?? beginPass(job.input.run ? firstRunPass(dataImport) : 'check');
    const source = await this.readers.open(dataImport, job);
    try {
      const { reader } = source;
      const step = await this.runStage({ dataImport: source.import, job, reader }, cursor);
      await this.readers.close(dataImport, source);
      if (step.cursor === null) await this.remains.removeCopies(dataImport);
      return step;
    } catch (error) {
      throw await this.readers.explained(dataImport, source, error);
    } finally {
      // The job may have been cancelled while the current step was storing data.
      if (job.signal.aborted) await this.remains.clear(dataImport.id);
    }
  }

  private runStage(run: StageRun, cursor: ImportCursor): Promise<ImportStep> {
    switch (cursor.stage) {
      case 'clear':
        return this.rows.clear(run, cursor);
      case 'rows':
        return this.rows.read(run, cursor);
      case 'visits':
        return this.visits.read(run, cursor);
      case 'linkVisits':
        return this.visits.readByLink(run, cursor);
      case 'history':
        return this.visits.settleRows(run, cursor);
      case 'proof':
        return this.proof.prove(run, cursor);
      case 'release':
        return this.proof.release(run, cursor);
    }
  }

  /** A failed check sends no email, because its client is waiting for the result. */
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
}
