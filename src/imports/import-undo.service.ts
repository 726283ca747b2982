import { Injectable } from '@nestjs/common';
import { isDuplicateKey } from '../common/database-fault';
import { isUnfinished, type Job } from '../infrastructure/jobs/job';
import { JobStarter } from '../infrastructure/jobs/job-starter';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { LinkReads } from '../stores/links/link-reads.repository';
import { type ImportResponse, type ImportUndoFields, toImportResponse } from './import.response';
import { ImportStateError, UndoableChangedError } from './imports.errors';
import { undoJobId, type UndoInput } from './running/import-undo.job';
import type { Import } from './store/import';

const NOT_UNDOABLE: ImportUndoFields = { undo: null, undoable: 0, undoable_clicked: 0 };

/** Starts the job that undoes an import, and reads its progress (docs/contract.md#22.6). */
@Injectable()
export class ImportUndoService {
  constructor(
    private readonly links: LinkReads,
    private readonly jobs: JobsRepository,
    private readonly starter: JobStarter,
  ) {}

  async toResponse(item: Import, job: Job): Promise<ImportResponse> {
    return toImportResponse(item, job, await this.read(item, job));
  }

  async read({ id, dryRun }: Import, importJob: Job): Promise<ImportUndoFields> {
    if (dryRun) return NOT_UNDOABLE;
    const job = await this.jobs.findById(undoJobId(id));
    const total = (job?.input as UndoInput | undefined)?.total ?? 0;
    const undo = job && { state: job.state, deleted: job.done, total };
    // Counted only for ended jobs, because clients poll the progress of running ones.
    if (isUnfinished(importJob) || (job !== null && isUnfinished(job)))
      return { ...NOT_UNDOABLE, undo };
    const { links, clicked } = await this.links.countUndoable(
      id,
      importJob.finishedAt ?? new Date(),
    );
    return { undo, undoable: links, undoable_clicked: clicked };
  }

  /** Does nothing if the undo is in progress, or if there are no links to delete. */
  async begin(found: Import, job: Job, expected: number): Promise<void> {
    const { undo, undoable: total } = await this.read(found, job);
    if (undo !== null && isUnfinished(undo)) return;
    await this.refuseDuringImport(found.ownerId);
    if (total !== expected) throw new UndoableChangedError(total);
    if (total === 0) return;
    const id = undoJobId(found.id);
    const input: UndoInput = { importId: found.id, total };
    if (!(await this.starter.restart(id, input))) {
      try {
        const { ownerId } = found;
        await this.starter.begin({ id, kind: 'import_undo', ownerId, input, total });
      } catch (error) {
        // A concurrent request has started the job.
        if (!isDuplicateKey(error)) throw error;
      }
    }
    // An import may have started since the first check.
    await this.refuseDuringImport(found.ownerId, () => this.starter.cancel(id));
  }

  private async refuseDuringImport(
    ownerId: string,
    cancel?: () => Promise<unknown>,
  ): Promise<void> {
    if ((await this.jobs.countUnfinished(ownerId, 'import')) === 0) return;
    await cancel?.();
    throw new ImportStateError(
      'This account has an unfinished import; wait until it has finished, or cancel it',
    );
  }

  /** @param cancel is called before the error is thrown */
  async refuseUnfinished(id: string, cancel?: () => Promise<unknown>): Promise<void> {
    const job = await this.jobs.findById(undoJobId(id));
    if (job !== null && isUnfinished(job)) {
      await cancel?.();
      throw new ImportStateError('This import is being undone');
    }
  }

  async cancel(id: string): Promise<void> {
    await this.starter.cancel(undoJobId(id));
  }
}
