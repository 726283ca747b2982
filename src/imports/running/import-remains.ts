import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataOptions } from '../../config/options';
import { isUnfinished } from '../../infrastructure/jobs/job';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import type { Import } from '../store/import';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { ImportsRepository } from '../store/imports.repository';
import { answersPath, removeCopies } from '../store/import-files';

/** Deletes data that an import needs only while its job runs (docs/contract.md#22.2). */
@Injectable()
export class ImportRemains {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly jobs: JobsRepository,
    private readonly data: DataOptions,
  ) {}

  /** Once the job ends, deletes the import's copies and, after an interrupted check, its rows. */
  async clear(id: string): Promise<void> {
    const [found, job] = await Promise.all([this.imports.findById(id), this.jobs.findById(id)]);
    if (found === null || job === null || isUnfinished(job)) return;
    await (job.state === 'done' ? this.removeCopies(found) : this.removeCutOff(found));
  }

  /** Call when a job fails. Keeps a run's rows, which record what was imported. */
  async removeCutOff(found: Import): Promise<void> {
    await this.removeCopies(found);
    if (found.dryRun) while (await this.rows.clearRows(found.id));
  }

  async removeCopies({ id, file }: Import): Promise<void> {
    if (file !== null) await removeCopies(file);
    else await rm(answersPath(join(this.data.dir, 'imports'), id), { force: true });
  }
}
