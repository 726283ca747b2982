import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../common/package-info';
import type { ProcessLogger } from '../../processes/child-process/child-messages';
import { type ChildCommand, spawning } from '../../processes/child-process/launch';
import { SupervisedChild } from '../../processes/child-process/supervised-child';
import { engineLauncher } from '../../engines/embedded-mongo/launcher';
import { EngineUnavailableError } from '../../engines/embedded-mongo/engine.errors';
import { checkFreeSpace } from './free-space';
import { engineHost } from './engine-host';

/** The path of the socket of the engine on this data folder, whether one runs or not. */
export function engineSocket(dataDir: string): string {
  return join(socketFolder(dataDir), 'mongo.sock');
}

/** The address of a database behind an engine's socket. */
export function engineUri(socket: string, database: string): string {
  const [host, name] = [socket, database].map(encodeURIComponent);
  return `mongodb://${host}/${name}?directConnection=true`;
}

/** Length of the path that the library adds to its temporary folder. */
const BELOW_BYTES = '/embedded-mongodb-XXXXXX/mongodb.sock'.length;
/** The longest socket path that every supported system takes (macOS; Linux takes 107). */
const SOCKET_PATH_BYTES = 103;

/**
 * The private folder of an engine's sockets: the same for the same data folder and user, short
 * enough for socket paths however deep the data lies, and readable by its owner alone.
 * @throws Error when somebody else made a folder of that name
 */
export function socketFolder(dataDir: string, temporary = tmpdir()): string {
  // Only the number: users of containers need not have a line in /etc/passwd.
  const uid = process.getuid?.() ?? 0;
  const digest = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12);
  const name = `curtail-${uid}-${digest}`;
  const fits = Buffer.byteLength(join(temporary, name)) + BELOW_BYTES <= SOCKET_PATH_BYTES;
  const folder = join(fits ? temporary : '/tmp', name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a private folder of this user; remove it`);
  }
  return folder;
}

/** Another C library loads no TypeScript: from the sources, too, the built copy is started. */
const SCRIPT = join(packageRoot(), 'dist/infrastructure/mongo/engine.process.js');
const ENGINE_STOP_MS = 10_000;
const LOCK_WAIT_MS = 10_000;
/** Most of its work is the recorder's: redirects, answered from memory, come before it. */
const ENGINE_NICENESS = 5;

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

  /** The engine process's id; undefined while none runs. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Starts the engine; resolves when it takes connections.
   * @throws ChildFailedError saying why it cannot run here and what to do instead
   */
  async start(): Promise<void> {
    await this.child.start();
  }

  /** The address of one of its databases, for any process of this user on this machine. */
  uri(database: string): string {
    if (this.socket === undefined) throw new Error('The embedded MongoDB was not started');
    return engineUri(this.socket, database);
  }

  /** Before a stop: the last writes wait for nobody. */
  raisePriority(): void {
    this.child.raisePriority();
  }

  /** Closes the database and ends its process, at the latest after `timeoutMs` by killing it. */
  async stop(timeoutMs = ENGINE_STOP_MS): Promise<void> {
    await this.child.stop(timeoutMs);
    if (this.socket !== undefined) removeEmpty(dirname(this.socket));
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

/** Safe while no second engine starts on this DATA_DIR, which the service's lock sees to. */
function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
