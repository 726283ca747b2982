import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MongoOptions } from '../../config/options';
import type { Settings } from '../../config/settings';
import {
  EmbeddedEngine,
  engineSocket,
  engineUri,
} from '../../infrastructure/mongo/embedded-engine';
import { PlainLog } from '../../infrastructure/logging/plain-log';
import { acquireProcessLock, type ProcessLock } from '../../processes/process-lock';
import { LockHeldError } from '../../processes/processes.errors';
import { DATABASE } from '../primary';

export interface CommandDatabase {
  readonly mongo: MongoOptions;
  /** Whether the running service uses it, too. */
  readonly shared: boolean;
  close(): Promise<void>;
}

/** Standard output is reserved for the command's result. */
export class CommandLog extends PlainLog {
  override info(message: string, extra?: object): void {
    this.warn(message, extra);
  }
}

/** The configured database, or an embedded database of the running service or a new engine. */
export async function openDatabase({ mongoUri, data }: Settings): Promise<CommandDatabase> {
  if (mongoUri !== null) return borrowed(mongoUri, false);
  if (!existsSync(join(data.dir, 'mongo'))) throw new Error(`There is no database in ${data.dir}`);
  try {
    return await ownEngine(data.dir);
  } catch (error) {
    const socket = engineSocket(data.dir);
    if (!(error instanceof LockHeldError) || !existsSync(socket)) throw error;
    return borrowed(engineUri(socket, DATABASE), true);
  }
}

function borrowed(uri: string, embedded: boolean): CommandDatabase {
  return { mongo: { uri, embedded }, shared: true, close: () => Promise.resolve() };
}

/** @throws LockHeldError while the service runs */
async function ownEngine(dir: string): Promise<CommandDatabase> {
  const lock = await acquireProcessLock(join(dir, 'curtail.lock'), { waitMs: 0 });
  try {
    const { mongo, close } = await startEngine(dir);
    const closeAll = async (): Promise<void> => {
      await close();
      lock.release();
    };
    return { mongo, shared: false, close: closeAll };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** An engine of this process on the folder `mongo`; no other process may use `dir`. */
export async function startEngine(dir: string): Promise<Omit<CommandDatabase, 'shared'>> {
  const engine = new EmbeddedEngine({ dataDir: dir, logger: new CommandLog() });
  await engine.start();
  return {
    mongo: { uri: engine.uri(DATABASE), embedded: true },
    close: () => engine.stop(),
  };
}

/** Takes the service's lock for commands that require it to be stopped. */
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
