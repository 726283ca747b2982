import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../common/package-info';
import { downloadEnvironment } from '../../config/environment';
import type { EngineHost } from '../../engines/embedded-mongo/c-library/engine-host';
import type { ProcessLogger } from '../../processes/child-process/parent-channel';
import { type ChildCommand, spawning } from '../../processes/child-process/child-run';
import { SupervisedChild } from '../../processes/child-process/supervised-child';
import { acquireProcessLock } from '../../processes/process-lock';
import { ChildFailedError, LockHeldError } from '../../processes/processes.errors';
import { engineLauncher } from '../../engines/embedded-mongo/launcher';
import { EngineUnavailableError } from '../../engines/embedded-mongo/c-library/engine.errors';
import { engineSocket, engineUri } from './socket-folder';

/** Always the compiled file: the process with the other C library cannot load TypeScript. */
const SCRIPT = join(packageRoot(), 'dist/infrastructure/mongo/engine.process.js');
const ENGINE_STOP_MS = 10_000;
const LOCK_WAIT_MS = 10_000;
/** Lowers the engine's priority, so that redirects, which are served from memory, go first. */
const ENGINE_NICENESS = 5;

export interface EmbeddedEngineOptions {
  /** The database is in the `mongo` subfolder. */
  dataDir: string;
  logger: ProcessLogger;
  /** How long startup waits for an ending process to release the database. */
  lockWaitMs?: number;
}

/** A supervised MongoDB process. Its address survives restarts, so that drivers reconnect. */
export class EmbeddedEngine extends EventEmitter<{ up: []; down: [] }> {
  private readonly child: SupervisedChild;
  private readonly directory: string;
  private socket?: string;

  constructor(private readonly options: EmbeddedEngineOptions) {
    super();
    this.directory = join(options.dataDir, 'mongo');
    const { logger } = options;
    this.child = new SupervisedChild({
      name: 'engine',
      logger,
      idleStartIsHung: true,
      prepare: async () => spawning(await this.command()),
    });
    this.child.on('up', () => this.emit('up'));
    this.child.on('down', () => this.emit('down'));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @throws ChildFailedError with the cause and a remedy */
  async start(): Promise<void> {
    try {
      await this.child.start();
    } catch (error) {
      throw error instanceof ChildFailedError ? this.withAdvice(error) : error;
    }
  }

  uri(database: string): string {
    if (this.socket === undefined) throw new Error('The embedded MongoDB was not started');
    return engineUri(this.socket, database);
  }

  /** Call before a stop, so that the last writes are not delayed. */
  raisePriority(): void {
    this.child.raisePriority();
  }

  /** Kills the process if it has not stopped after `timeoutMs`. */
  async stop(timeoutMs = ENGINE_STOP_MS): Promise<void> {
    await this.child.stop(timeoutMs);
    if (this.socket !== undefined) removeEmpty(dirname(this.socket));
  }

  /** MongoDB aborts if it cannot read the database, for example after an interrupted first start. */
  private withAdvice(error: ChildFailedError): ChildFailedError {
    if (!error.message.endsWith('SIGABRT')) return error;
    return new ChildFailedError(
      `${error.message}. The database in ${this.directory} may be damaged: move this folder away, ` +
        'then restore a backup, or start with an empty database',
      error,
    );
  }

  private async command(): Promise<ChildCommand> {
    if (!existsSync(SCRIPT)) throw new EngineUnavailableError(`${SCRIPT} is not built`);
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const warning = checkFreeSpace(this.directory);
    if (warning !== null) this.options.logger.warn(warning);
    this.socket = engineSocket(this.options.dataDir);
    const { dataDir, logger, lockWaitMs = LOCK_WAIT_MS } = this.options;
    const { command, args } = await engineLauncher({ dataDir, host: engineHost(logger) });
    const own = [SCRIPT, this.directory, this.socket, String(lockWaitMs)];
    return { command, args: [...args, ...own], niceness: ENGINE_NICENESS };
  }
}

/** Removes an empty folder; safe, because a lock prevents a second engine on this DATA_DIR. */
function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

export function engineHost(logger: ProcessLogger): EngineHost {
  return {
    logger,
    environment: downloadEnvironment,
    lock: async (path, waitMs) => {
      try {
        return await acquireProcessLock(path, { waitMs });
      } catch (error) {
        if (error instanceof LockHeldError) return null;
        throw error;
      }
    },
  };
}

const MEGABYTE = 1024 * 1024;
/** If less space is free, MongoDB refuses to create an index, even in an empty collection. */
export const INDEX_MEGABYTES = 500;
/** Free space needed for a new database, including the files that MongoDB creates initially. */
export const NEW_DATABASE_MEGABYTES = 520;

export type FreeSpace = (folder: string) => number | null;

const freeSpace: FreeSpace = (folder) => {
  const { bsize, blocks, bavail } = statfsSync(folder);
  return blocks === 0 ? null : bavail * bsize;
};

/**
 * @returns a warning if space is low for an existing database, otherwise null
 * @throws ChildFailedError if there is too little space for a new database
 */
export function checkFreeSpace(directory: string, free: FreeSpace = freeSpace): string | null {
  const bytes = free(directory);
  if (bytes === null) return null;
  const megabytes = Math.floor(bytes / MEGABYTE);
  const found = `DATA_DIR=${JSON.stringify(dirname(directory))}: only ${megabytes} MB are free`;
  // The engine creates this file in every database.
  if (!existsSync(join(directory, 'WiredTiger'))) {
    if (megabytes >= NEW_DATABASE_MEGABYTES) return null;
    throw new ChildFailedError(
      `${found}, and a new database needs ${NEW_DATABASE_MEGABYTES} MB; free space, set DATA_DIR ` +
        'to another disk, or MONGODB_URI to your own MongoDB',
    );
  }
  if (megabytes >= INDEX_MEGABYTES) return null;
  return `${found}: with less than ${INDEX_MEGABYTES} MB, the database cannot create indexes; free up space`;
}
