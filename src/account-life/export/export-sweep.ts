import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundTasks } from '../../common/background-tasks';
import { MINUTE_MS } from '../../common/time';
import { DataOptions } from '../../config/options';
import { isUnfinished } from '../../infrastructure/jobs/job';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import { ExportFilesRepository } from './export-files.repository';

const EXPORT_SWEEP_MS = 10 * MINUTE_MS;
const JOB_ID = /^[0-9a-f]{24}$/;

/** Removes files of expired exports, and of cancelled and failed ones. */
@Injectable()
export class ExportSweep implements OnApplicationBootstrap {
  constructor(
    private readonly files: ExportFilesRepository,
    private readonly jobs: JobsRepository,
    private readonly data: DataOptions,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const run = (): Promise<void> => this.sweep();
    this.background.repeat({ name: 'remove expired exports', everyMs: EXPORT_SWEEP_MS, run }, 0);
  }

  async sweep(): Promise<void> {
    const stored: string[] = [];
    for (const id of await this.files.ids()) {
      const job = await this.jobs.findById(id);
      if (job === null || !(isUnfinished(job) || job.state === 'done')) stored.push(id);
    }
    if (stored.length > 0) await this.files.remove(stored);
    const folder = join(this.data.dir, 'exports');
    // The folder does not exist before the first export.
    for (const id of await readdir(folder).catch(() => [])) {
      const job = JOB_ID.test(id) ? await this.jobs.findById(id) : null;
      if (job === null || !isUnfinished(job))
        await rm(join(folder, id), { recursive: true, force: true });
    }
  }
}
