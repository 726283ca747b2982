import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../common/log';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../common/time';
import { DataOptions } from '../config/options';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { ImportNodes } from './history/import-nodes';
import { ImportRemains } from './import-remains';
import { ImportsRepository } from './imports.repository';
import { removeFiles } from './upload';

const IMPORT_SWEEP_MS = 10 * MINUTE_MS;
/** Younger imports are kept, whatever has become of their jobs. */
const IMPORT_KEPT_MS = 30 * DAY_MS;
/** A file that was written to since may be one that is still coming. */
const ARRIVING_MS = HOUR_MS;
/** The name of an upload, which those of files made of it begin with. */
const UPLOAD_NAME = /^[0-9a-f]{32}(?=\.|$)/;
/** The id of an import, in the name of the file of answers to it. */
const ANSWERS = /^[0-9a-f]{24}(?=\.answers$)/;

/**
 * Removes imports 30 days after their last run, when their jobs go too, and files and names of no
 * import, which a crash has left. Several processes may do it at once.
 */
@Injectable()
export class ImportSweep implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private hasSwept = false;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly nodes: ImportNodes,
    private readonly remains: ImportRemains,
    private readonly jobs: JobsRepository,
    private readonly data: DataOptions,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.trySweep(), IMPORT_SWEEP_MS).unref();
    void this.trySweep();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async sweep(now = Date.now()): Promise<void> {
    await this.removeExpired(new Date(now - IMPORT_KEPT_MS));
    await this.clearEnded(now);
    await this.removeNames();
    await this.removeOrphans(now - ARRIVING_MS);
  }

  private async trySweep(): Promise<void> {
    try {
      await this.sweep();
    } catch (err) {
      this.log.debug('Expired imports are left until the next look', { err });
    }
  }

  private async removeExpired(before: Date): Promise<void> {
    for (const id of await this.imports.idsMadeBefore(before)) {
      if ((await this.jobs.findById(id)) !== null) continue;
      const found = await this.imports.findById(id);
      // The rows first: without the import, nobody would find them.
      await this.nodes.removeRows(id);
      await this.imports.remove(id);
      if (found !== null) await removeFiles(found, join(this.data.dir, 'imports'));
    }
  }

  /** Remains of imports that ended since the last looks, however their jobs were ended. */
  private async clearEnded(now: number): Promise<void> {
    const since = new Date(now - (this.hasSwept ? 2 * IMPORT_SWEEP_MS : DAY_MS));
    for (const id of await this.jobs.idsEndedSince('import', since)) await this.remains.clear(id);
    this.hasSwept = true;
  }

  /** Names of imports that are gone. */
  private async removeNames(): Promise<void> {
    for (const id of await this.nodes.holders()) {
      if ((await this.imports.findById(id)) === null) await this.nodes.removeRows(id);
    }
  }

  private async removeOrphans(writtenBefore: number): Promise<void> {
    const folder = join(this.data.dir, 'imports');
    // The first upload makes the folder.
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
      // Another process may have removed it.
      const file = await stat(path).catch(() => null);
      if (file !== null && file.mtimeMs < writtenBefore)
        await rm(path, { recursive: true, force: true });
    }
  }
}
