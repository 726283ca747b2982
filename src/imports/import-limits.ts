import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../common/time';
import { ImportFileOptions } from '../config/options';
import { isUnfinished } from '../infrastructure/jobs/job';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { ImportTooLargeError, UnfinishedImportsError } from './imports.errors';
import { ImportsRepository } from './store/imports.repository';

const MAX_UNFINISHED = 3;
/** Maximum stored bytes and rows per account, as a multiple of the limits for one import. */
const ACCOUNT_SHARE = 3;
/** Maximum time between taking a slot and queueing the job. */
const PLACING_MS = MINUTE_MS;

/** Limits on an account's imports (docs/contract.md#22.2). */
@Injectable()
export class ImportLimits {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly jobs: JobsRepository,
    private readonly files: ImportFileOptions,
  ) {}

  async refuseFurther(ownerId: string): Promise<void> {
    if ((await this.jobs.countUnfinished(ownerId, 'import')) < MAX_UNFINISHED) return;
    throw new UnfinishedImportsError(MAX_UNFINISHED);
  }

  /** Takes a free slot. An import's slot is free once its job has ended. */
  async takePlace(id: string, ownerId: string): Promise<void> {
    const before = new Date(Date.now() - PLACING_MS);
    const placed = await this.imports.placed(ownerId, before);
    const jobs = await this.jobs.findByIds(placed);
    const ended = placed.filter((placedId) => {
      const job = jobs.get(placedId);
      return job === undefined || !isUnfinished(job);
    });
    if (ended.length > 0) await this.imports.leavePlaces(ended, before);
    for (let place = 0; place < MAX_UNFINISHED; place++) {
      if (await this.imports.takePlace(id, place)) return;
    }
    throw new UnfinishedImportsError(MAX_UNFINISHED);
  }

  /** Call after the import is stored, so that concurrent requests cannot exceed the limit. */
  async refuseFullShare(ownerId: string): Promise<void> {
    const { maxBytes, maxRows } = this.files;
    const checks = await this.imports.findDryRuns(ownerId);
    const jobs = await this.jobs.findByIds([...checks.keys()]);
    let rows = 0;
    for (const [id, { state, counts }] of jobs) {
      const isCutOff = checks.get(id) === true && ['cancelled', 'failed'].includes(state);
      if (!isCutOff) rows += Object.values(counts).reduce((sum, count) => sum + count, 0);
    }
    const bytes = await this.imports.sumFileBytes(ownerId);
    if (bytes <= ACCOUNT_SHARE * maxBytes && rows <= ACCOUNT_SHARE * maxRows) return;
    throw new ImportTooLargeError('Import storage is full. Delete an import to free space.');
  }
}
