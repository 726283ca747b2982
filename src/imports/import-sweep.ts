import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundTasks } from '../common/background-tasks';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../common/time';
import { DataOptions } from '../config/options';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { ImportNodes } from './history/visit-recorder';
import { ImportRemains } from './running/import-remains';
import { ImportsRepository } from './store/imports.repository';
import { removeFiles } from './store/import-files';

const IMPORT_SWEEP_MS = 10 * MINUTE_MS;
/** Minimum age at which an import without a job is removed. */
const IMPORT_KEPT_MS = 30 * DAY_MS;
/** Files modified within this time may still be uploading. */
const ARRIVING_MS = HOUR_MS;
/** Name of an uploaded file; derived file names start with it. */
const UPLOAD_NAME = /^[0-9a-f]{32}(?=\.|$)/;
const ANSWERS = /^[0-9a-f]{24}(?=\.answers$)/;

/** Removes expired imports and files left over from crashes; several processes may run it. */
@Injectable()
export class ImportSweep implements OnApplicationBootstrap {
  private hasSwept = false;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly nodes: ImportNodes,
    private readonly remains: ImportRemains,
    private readonly jobs: JobsRepository,
    private readonly data: DataOptions,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const run = (): Promise<void> => this.sweep();
    this.background.repeat({ name: 'remove expired imports', everyMs: IMPORT_SWEEP_MS, run }, 0);
  }

  async sweep(now = Date.now()): Promise<void> {
    await this.removeExpired(new Date(now - IMPORT_KEPT_MS));
    await this.clearEnded(now);
    await this.removeUnowned();
    await this.removeOrphans(now - ARRIVING_MS);
  }

  private async removeExpired(before: Date): Promise<void> {
    for (const id of await this.imports.idsMadeBefore(before)) {
      if ((await this.jobs.findById(id)) !== null) continue;
      const found = await this.imports.findById(id);
      // Removes rows first, because rows without an import would never be found again.
      await this.nodes.removeRows(id);
      await this.imports.remove(id);
      if (found !== null) await removeFiles(found, join(this.data.dir, 'imports'));
    }
  }

  /** Cleans up after imports that ended since the sweep before last. */
  private async clearEnded(now: number): Promise<void> {
    const since = new Date(now - (this.hasSwept ? 2 * IMPORT_SWEEP_MS : DAY_MS));
    for (const id of await this.jobs.idsEndedSince('import', since)) await this.remains.clear(id);
    this.hasSwept = true;
  }

  /** Completes deletions of imports that were interrupted. */
  private async removeUnowned(): Promise<void> {
    for (const id of await this.nodes.holders()) {
      if ((await this.imports.findById(id)) === null) await this.nodes.removeRows(id);
    }
  }

  private async removeOrphans(writtenBefore: number): Promise<void> {
    const folder = join(this.data.dir, 'imports');
    // The folder does not exist before the first upload.
    const found = await readdir(folder).catch(() => []);
    const names = found.filter((name) => UPLOAD_NAME.test(name) || ANSWERS.test(name));
    if (names.length === 0) return;
    const paths = await this.imports.filePaths();
    const known = new Set(paths.map((path) => basename(path)));
    for (const name of names) {
      if (known.has(UPLOAD_NAME.exec(name)?.[0] ?? '')) continue;
      const [id] = ANSWERS.exec(name) ?? [];
      if (id !== undefined && (await this.imports.findById(id)) !== null) continue;
      const path = join(folder, name);
      // Another process may have removed the file.
      const file = await stat(path).catch(() => null);
      if (file !== null && file.mtimeMs < writtenBefore)
        await rm(path, { recursive: true, force: true });
    }
  }
}
