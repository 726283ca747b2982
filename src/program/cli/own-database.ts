import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MongoOptions } from '../../config/options';
import type { Settings } from '../../config/settings';
import { EmbeddedEngine } from '../../infrastructure/mongo/embedded-engine';
import { type openConnection, withConnection } from '../../infrastructure/mongo/open-connection';
import { engineSocket, engineUri } from '../../infrastructure/mongo/socket-folder';
import { PlainLog } from '../../infrastructure/logging/plain-log';
import { acquireProcessLock, type ProcessLock } from '../../processes/process-lock';
import { LockHeldError } from '../../processes/processes.errors';
import { PauseRequest } from '../../clicks/recorder/recording-pause';
import { DATABASE } from '../primary';

export type DatabaseConnection = Awaited<ReturnType<typeof openConnection>>;

export interface CommandDatabase {
  readonly mongo: MongoOptions;
  /** Whether a running service also uses the database. */
  readonly shared: boolean;
  close(): Promise<void>;
}

/** Logs to standard error, because standard output is reserved for the command's result. */
export class CommandLog extends PlainLog {
  override info(message: string, extra?: object): void {
    this.warn(message, extra);
  }
}

/** Uses the configured database, or the embedded database, with or without a running service. */
export async function withDatabase<T>(
  settings: Settings,
  use: (connection: DatabaseConnection, database: CommandDatabase) => Promise<T>,
): Promise<T> {
  return withOpened(await openDatabase(settings), use);
}

/** Starts an engine on the `mongo` folder. @param lock the lock on `dir`, released at the end */
export async function withEngine<T>(
  dir: string,
  use: (connection: DatabaseConnection) => Promise<T>,
  lock?: ProcessLock,
): Promise<T> {
  return withOpened(await startEngine(dir, lock), use);
}

async function withOpened<T>(
  database: CommandDatabase,
  use: (connection: DatabaseConnection, database: CommandDatabase) => Promise<T>,
): Promise<T> {
  try {
    return await withConnection(database.mongo, (connection) => use(connection, database));
  } finally {
    await database.close();
  }
}

async function openDatabase({ mongoUri, data: { dir } }: Settings): Promise<CommandDatabase> {
  if (mongoUri !== null) return borrow(mongoUri, false);
  if (!existsSync(join(dir, 'mongo'))) throw new Error(`There is no database in ${dir}`);
  try {
    const lock = await acquireProcessLock(join(dir, 'curtail.lock'), { waitMs: 0 });
    return await startEngine(dir, lock);
  } catch (error) {
    const socket = engineSocket(dir);
    if (!(error instanceof LockHeldError) || !existsSync(socket)) throw error;
    return borrow(engineUri(socket, DATABASE), true);
  }
}

function borrow(uri: string, embedded: boolean): CommandDatabase {
  return { mongo: { uri, embedded }, shared: true, close: () => Promise.resolve() };
}

async function startEngine(dir: string, lock?: ProcessLock): Promise<CommandDatabase> {
  const engine = new EmbeddedEngine({ dataDir: dir, logger: new CommandLog() });
  const close = async (): Promise<void> => {
    await engine.stop();
    lock?.release();
  };
  try {
    await engine.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { mongo: { uri: engine.uri(DATABASE), embedded: true }, shared: false, close };
}

/** Acquires the service's lock, for commands that require that no service is running. */
export async function stoppedService(dir: string): Promise<ProcessLock> {
  try {
    return await acquireProcessLock(join(dir, 'curtail.lock'), { waitMs: 0 });
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new Error(`A service uses ${dir} (process ${error.pid}): stop it first`, {
      cause: error,
    });
  }
}

/** Time for the recorder to finish its current batch. */
const PAUSE_MS = 60_000;
/** Time for a killed service's recorder to exit. */
const ORPHAN_MS = 10_000;

export interface PausedService {
  /** DATA_DIR. */
  readonly dir: string;
  /** Whether a service is running whose recorder must be paused. */
  readonly isRunning: boolean;
  readonly signal: AbortSignal;
}

/** @throws Error if another command has paused recording */
export async function askForPause(dir: string): Promise<PauseRequest> {
  try {
    return await PauseRequest.ask(dir);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new Error(`Another backup or copy of ${dir} is running (process ${error.pid})`, {
      cause: error,
    });
  }
}

/** During the pause, redirects continue and their clicks wait in the journal. */
export async function withRecordingPaused<T>(
  pause: PauseRequest,
  { dir, isRunning, signal }: PausedService,
  work: () => Promise<T>,
): Promise<T> {
  if (isRunning) {
    await pause.whenPaused(PAUSE_MS, signal);
    return work();
  }
  const lock = await acquireProcessLock(join(dir, 'recorder.lock'), { waitMs: ORPHAN_MS });
  try {
    return await work();
  } finally {
    lock.release();
  }
}
