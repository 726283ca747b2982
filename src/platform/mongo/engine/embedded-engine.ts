import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../core/package-root';
import { SupervisedChild } from '../../process/companion';
import type { ChildCommand } from '../../process/companion-life';
import type { ProcessLogger } from '../../process/process-logger';
import { EngineUnavailableError } from './engine.errors';
import { engineLauncher } from './launcher';
import { engineSocket, engineUri } from './engine-uri';

/** Another C library loads no TypeScript: from the sources, too, the built copy is started. */
const SCRIPT = join(packageRoot(), 'dist/platform/mongo/engine/engine.process.js');
const STOP_MS = 10_000;
const LOCK_WAIT_MS = 10_000;
/** Most of its work is the recorder's: redirects, answered from memory, come before it. */
const NICENESS = 5;

export interface EmbeddedEngineOptions {
  /** The database lies in its folder `mongo`. */
  dataDir: string;
  logger: ProcessLogger;
  /** How long a start waits for a dying predecessor to let go of the database. */
  lockWaitMs?: number;
}

interface EngineEvents {
  /** The engine takes connections, for the first time or after a restart. */
  up: [];
  /** The engine's process died; its restart is under way. */
  down: [];
}

/**
 * The embedded MongoDB on DATA_DIR/mongo, in a supervised process of its own. Its address stays
 * the same over restarts, so that drivers reconnect by themselves.
 */
export class EmbeddedEngine extends EventEmitter<EngineEvents> {
  private readonly companion: SupervisedChild;
  private readonly directory: string;
  private socket?: string;

  constructor(private readonly options: EmbeddedEngineOptions) {
    super();
    this.directory = join(options.dataDir, 'mongo');
    const { logger } = options;
    this.companion = new SupervisedChild({ name: 'engine', logger, command: () => this.command() });
    this.companion.on('up', () => this.emit('up'));
    this.companion.on('down', () => this.emit('down'));
  }

  /** The engine process's id; undefined while none runs. */
  get pid(): number | undefined {
    return this.companion.pid;
  }

  /**
   * Starts the engine; resolves when it takes connections.
   * @throws CompanionFailedError saying why it cannot run here and what to do instead
   */
  async start(): Promise<void> {
    await this.companion.start();
  }

  /** The address of one of its databases, for any process of this user on this machine. */
  uri(database: string): string {
    if (this.socket === undefined) throw new Error('The embedded MongoDB was not started');
    return engineUri(this.socket, database);
  }

  /** Before a stop: the last writes wait for nobody. */
  raisePriority(): void {
    this.companion.raisePriority();
  }

  /** Closes the database and ends its process, at the latest after `timeoutMs` by killing it. */
  async stop(timeoutMs = STOP_MS): Promise<void> {
    await this.companion.stop(timeoutMs);
    if (this.socket !== undefined) removeEmpty(dirname(this.socket));
  }

  private async command(): Promise<ChildCommand> {
    if (!existsSync(SCRIPT)) throw new EngineUnavailableError(`${SCRIPT} is not built`);
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.socket = engineSocket(this.options.dataDir);
    const { lockWaitMs = LOCK_WAIT_MS } = this.options;
    const { command, args } = await engineLauncher(this.options);
    const own = [SCRIPT, this.directory, this.socket, String(lockWaitMs)];
    return { command, args: [...args, ...own], niceness: NICENESS };
  }
}

/** Safe while no second engine starts on this DATA_DIR, which the service's lock sees to. */
function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
