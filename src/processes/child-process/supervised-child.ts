import { EventEmitter } from 'node:events';
import {
  type Contract,
  type NoCalls,
  RpcError,
  type RpcRequest,
  type RpcResponse,
  type Topic,
} from '../rpc/rpc';
import { Backoff, type BackoffOptions, CHILD_BACKOFF } from './backoff';
import {
  ChildFailedError,
  type Payload,
  type ProcessLogger,
  failureReason,
} from './child-messages';
import { type ChildExit, ChildRun, type ChildServer } from './child-run';
import type { Launch } from './launch';
import { readActivity } from './process-activity';
import { StartWatch } from './start-watch';
import { Watchdog } from './watchdog';

/** How long a process that is up may be silent before it is taken for one that hangs. */
const SILENT_MS = 20_000;
/** The same while it starts: loading modules and reading files keep an event loop busy. */
const SILENT_START_MS = 60_000;
/** A start that takes longer is told of in the log, with what it is at. */
const LONG_START_MS = 10_000;
/** Ends before the first `ready` after which a start is given up. */
const FIRST_START_TRIES = 5;

export interface SupervisedChildOptions<Calls extends Contract<Calls> = NoCalls> {
  /** Names the process in log lines and errors: `engine`, `recorder`, `web worker`. */
  name: string;
  /** Asked before every run; throwing refuses the first start and delays later ones. */
  prepare: () => Launch | Promise<Launch>;
  logger: ProcessLogger;
  /** Answers what the child calls. */
  server?: ChildServer<Calls>;
  backoff?: BackoffOptions;
  firstStartTries?: number;
  /** A process that is not ready after this time hangs and is killed; without it, it may take long. */
  startMs?: number;
  /**
   * A process that ends by itself before any was ever ready has said why on its own standard
   * error, and another one would do the same: the start is given up at once.
   */
  firstExitIsFinal?: boolean;
  /** A process that does not answer for so long once it is up hangs, and is replaced. */
  silentMs?: number;
  /** A start that takes longer is told of; see `idleStartIsHung`. */
  longStartMs?: number;
  /** A start that takes long and does no work meanwhile is begun anew. */
  idleStartIsHung?: boolean;
}

interface ChildEvents {
  /** The process is ready, for the first time or again; with the payload of its `ready`. */
  up: [payload: Payload];
  /** The process ended although nobody asked it to; a restart is under way. */
  down: [];
  /** The first start is given up, with the reason. */
  refused: [error: ChildFailedError];
}

/**
 * Supervises one child process of the primary for good: starts it, restarts it when it ends, calls
 * it, stops it. The child's side is `serveParent`. A first start that cannot work rejects; once it
 * has been up, restarts are never given up.
 */
export class SupervisedChild<
  Calls extends Contract<Calls> = NoCalls,
> extends EventEmitter<ChildEvents> {
  private readonly backoff: Backoff;
  private run?: ChildRun<Calls>;
  private up = false;
  private everUp = false;
  private stopped = false;
  private restart?: NodeJS.Timeout;
  private failedStarts = 0;
  private watchdog?: Watchdog;
  /** The end of the last run, until the next one is up. */
  private ended?: { at: number; waitMs: number };

  constructor(private readonly options: SupervisedChildOptions<Calls>) {
    super();
    this.backoff = new Backoff(options.backoff ?? CHILD_BACKOFF);
  }

  /** The id of the running process; undefined between two runs. */
  get pid(): number | undefined {
    return this.run?.pid;
  }

  /**
   * Starts the process, once in the life of this object.
   * @returns the payload of its `ready` message
   * @throws ChildFailedError when it says that it cannot run here, or keeps ending
   */
  start(): Promise<Payload> {
    const ready = new Promise<Payload>((resolve, reject) => {
      this.once('up', resolve);
      this.once('refused', reject);
    });
    void this.begin();
    return ready;
  }

  /** Calls the process; rejects with RpcError without an answer. */
  async call<T extends Topic<Calls>>(
    topic: T,
    request: RpcRequest<Calls, T>,
    timeoutMs: number,
  ): Promise<RpcResponse<Calls, T>> {
    if (this.run === undefined || !this.up) {
      throw new RpcError(this.options.name, topic, 'gone', 'it is down');
    }
    return this.run.channel.call(topic, request, timeoutMs);
  }

  /** For when its work is urgent: it has normal priority again, to the end of its run. */
  raisePriority(): void {
    this.run?.raisePriority();
  }

  /** Has the process end by itself, or kills it after `timeoutMs`; resolves when it is gone. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopped = true;
    this.up = false;
    clearTimeout(this.restart);
    this.watchdog?.stop();
    if (!this.everUp) this.refuse('it was stopped before it was ready');
    await this.run?.stop(timeoutMs);
  }

  private async begin(): Promise<void> {
    const { name, prepare, logger, server } = this.options;
    try {
      const launch = await prepare();
      if (this.stopped) return;
      const run = new ChildRun<Calls>(name, launch(), logger, server);
      this.run = run;
      const deadline = this.startDeadline(run);
      const start = this.watchStart(run);
      this.watch(run, SILENT_START_MS);
      const started = () => {
        clearTimeout(deadline);
        start?.stop();
        this.watchdog?.stop();
      };
      run.on('step', (step) => start?.enter(step));
      run.on('ready', (payload) => {
        started();
        this.onReady(run, payload, start?.durations());
      });
      run.on('end', (end) => {
        started();
        this.onEnd(end, performance.now() - run.startedAt);
      });
    } catch (error) {
      this.onEnd({ reason: failureReason(error), permanent: true, killed: false }, 0);
    }
  }

  private startDeadline(run: ChildRun<Calls>): NodeJS.Timeout | undefined {
    const { name, logger, startMs } = this.options;
    if (startMs === undefined) return undefined;
    return setTimeout(() => {
      logger.error(`The ${name} process hangs at its start and is killed`);
      run.kill();
    }, startMs);
  }

  private watchStart(run: ChildRun<Calls>): StartWatch | undefined {
    const { name, logger, longStartMs: lookMs = LONG_START_MS, idleStartIsHung } = this.options;
    const { pid } = run;
    if (pid === undefined) return undefined;
    const onIdle = idleStartIsHung === true ? () => run.kill() : undefined;
    return new StartWatch({ name, pid, logger, lookMs, onIdle });
  }

  private watch(run: ChildRun<Calls>, silentMs: number): void {
    const { name, logger } = this.options;
    const watchdog = new Watchdog({
      silentMs,
      ask: () => run.ping(),
      onSilent: () => {
        const state = run.pid === undefined ? null : readActivity(run.pid);
        const seconds = silentMs / 1000;
        logger.error(`The ${name} process has not answered for ${seconds} s and is killed`, {
          pid: run.pid,
          ...state,
        });
        run.kill();
      },
    });
    run.on('pong', () => watchdog.heard());
    this.watchdog = watchdog;
  }

  private onReady(
    run: ChildRun<Calls>,
    payload: Payload,
    stepsMs: Record<string, number> | undefined,
  ): void {
    if (this.stopped) return;
    const { name, logger, silentMs = SILENT_MS } = this.options;
    const again = this.everUp;
    this.up = true;
    this.everUp = true;
    this.watch(run, silentMs);
    if (again) logger.info(`The ${name} process is up again`, { ...this.outage(), stepsMs });
    this.emit('up', payload);
  }

  /** How long the process was away, and how much of that it was left alone. */
  private outage(): { downMs?: number; waitMs?: number } {
    const { ended } = this;
    this.ended = undefined;
    if (ended === undefined) return {};
    return { downMs: Math.round(performance.now() - ended.at), waitMs: ended.waitMs };
  }

  private onEnd(end: ChildExit, livedMs: number): void {
    const { name, logger } = this.options;
    const wasUp = this.up;
    this.run = undefined;
    this.up = false;
    if (this.stopped) return;
    this.failedStarts += 1;
    const given = this.everUp ? null : this.reasonToGiveUp(end);
    if (given !== null) {
      this.refuse(given);
      return;
    }
    const delay = this.backoff.next(livedMs);
    const since = this.ended ?? { at: performance.now(), waitMs: 0 };
    this.ended = { at: since.at, waitMs: since.waitMs + delay };
    logger.error(`The ${name} process ended (${end.reason}) and is started again in ${delay} ms`);
    this.restart = setTimeout(() => void this.begin(), delay);
    if (wasUp) this.emit('down');
  }

  /** Why a first start is given up; null when it is tried again. */
  private reasonToGiveUp({ reason, permanent, killed }: ChildExit): string | null {
    const { name, firstExitIsFinal = false, firstStartTries = FIRST_START_TRIES } = this.options;
    if (permanent) return reason;
    if (firstExitIsFinal && !killed) return `The ${name} process ended at its start: ${reason}`;
    if (this.failedStarts < firstStartTries) return null;
    return `The ${name} process ended ${firstStartTries} times at its start: ${reason}`;
  }

  private refuse(reason: string): void {
    this.stopped = true;
    this.emit('refused', new ChildFailedError(reason));
  }
}
