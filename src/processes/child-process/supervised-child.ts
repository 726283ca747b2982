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
import { failureReason, type Payload, type ProcessLogger } from './parent-channel';
import { ChildFailedError } from '../processes.errors';
import { type ChildExit, ChildRun, type ChildServer, type Launch } from './child-run';
import { readActivity } from './process-activity';
import { StartWatch } from './start-watch';
import { Watchdog } from './watchdog';

/** A running process that does not respond for this long counts as hung. */
const SILENT_MS = 20_000;
/** The limit during startup is longer, because loading modules blocks the event loop. */
const SILENT_START_MS = 60_000;
/** Slower startups are logged with the current step. */
const LONG_START_MS = 10_000;
/** Startup fails after this many exits before the first `ready`. */
const FIRST_START_TRIES = 5;

export interface SupervisedChildOptions<Calls extends Contract<Calls> = NoCalls> {
  /** Name for logs and errors: `engine`, `recorder`, `web worker`. */
  name: string;
  /** Called before each run. If it throws, the first run fails and later runs are delayed. */
  prepare: () => Launch | Promise<Launch>;
  logger: ProcessLogger;
  server?: ChildServer<Calls>;
  backoff?: BackoffOptions;
  firstStartTries?: number;
  /** Kills a process that is not ready after this time. No limit if absent. */
  startMs?: number;
  /** Whether startup fails if the process exits before `ready`, because a retry would also fail. */
  firstExitIsFinal?: boolean;
  /** Whether startup continues after the first exit, if a retry may help. */
  startsInBackground?: boolean;
  /** A running process that does not respond for this long is replaced. */
  silentMs?: number;
  longStartMs?: number;
  /** Whether to restart a process that is idle during a slow startup. */
  idleStartIsHung?: boolean;
}

interface ChildEvents {
  up: [payload: Payload];
  /** The process ended unexpectedly and will be restarted. It may not have exited yet. */
  down: [];
  refused: [error: ChildFailedError];
  /** Startup continues without the process. */
  late: [];
}

/** Only the first start can fail. Once it has succeeded, restarts are retried without limit. */
export class SupervisedChild<
  Calls extends Contract<Calls> = NoCalls,
> extends EventEmitter<ChildEvents> {
  private readonly backoff: Backoff;
  private run?: ChildRun<Calls>;
  private up = false;
  private isStarted = false;
  private stopped = false;
  private restart?: NodeJS.Timeout;
  private failedStarts = 0;
  private watchdog?: Watchdog;
  /** The last exit; undefined once the next run is ready. */
  private ended?: { at: number; waitMs: number };

  constructor(private readonly options: SupervisedChildOptions<Calls>) {
    super();
    this.backoff = new Backoff(options.backoff ?? CHILD_BACKOFF);
  }

  get pid(): number | undefined {
    return this.run?.pid;
  }

  /** Null while the process is up, and during the first start. */
  get downMs(): number | null {
    return this.ended === undefined ? null : performance.now() - this.ended.at;
  }

  /** @throws ChildFailedError if the process cannot run here or keeps exiting */
  start(): Promise<Payload> {
    const ready = new Promise<Payload>((resolve, reject) => {
      this.once('up', resolve);
      this.once('refused', reject);
      this.once('late', () => resolve({}));
    });
    void this.begin();
    return ready;
  }

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

  /** Restores normal priority for urgent work, until the run ends. */
  raisePriority(): void {
    this.run?.raisePriority();
  }

  /** Requests a stop, kills after `timeoutMs`, and resolves when the process has ended. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopped = true;
    this.up = false;
    clearTimeout(this.restart);
    this.watchdog?.stop();
    if (!this.isStarted) this.refuse('it was stopped before it was ready');
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
      run.on('disconnected', () => this.onDown());
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
      logger.error(`The ${name} process hung during startup; killing it`);
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
        logger.error(`The ${name} process has not responded for ${seconds} s; killing it`, {
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
    const again = this.isStarted;
    this.up = true;
    this.isStarted = true;
    this.watch(run, silentMs);
    const outage = this.outage();
    if (again) logger.info(`The ${name} process is back up`, { ...outage, stepsMs });
    this.emit('up', payload);
  }

  /** Returns the downtime and the retry delay within it. */
  private outage(): { downMs?: number; waitMs?: number } {
    const { ended } = this;
    this.ended = undefined;
    if (ended === undefined) return {};
    return { downMs: Math.round(performance.now() - ended.at), waitMs: ended.waitMs };
  }

  private onDown(): void {
    if (!this.up) return;
    this.up = false;
    this.emit('down');
  }

  private onEnd(end: ChildExit, livedMs: number): void {
    const { name, logger, startsInBackground = false } = this.options;
    this.run = undefined;
    if (this.stopped) return;
    this.onDown();
    this.failedStarts += 1;
    const given = this.isStarted ? null : this.reasonToGiveUp(end);
    if (given !== null) {
      this.refuse(given);
      return;
    }
    const delay = this.backoff.next(livedMs);
    const since = this.ended ?? { at: performance.now(), waitMs: 0 };
    this.ended = { at: since.at, waitMs: since.waitMs + delay };
    logger.error(`The ${name} process ended (${end.reason}); restarting it in ${delay} ms`);
    this.restart = setTimeout(() => void this.begin(), delay);
    if (startsInBackground && !this.isStarted) {
      this.isStarted = true;
      this.emit('late');
    }
  }

  /** Returns why the first start fails; null if it is retried. */
  private reasonToGiveUp({ reason, permanent, killed }: ChildExit): string | null {
    const { name, firstExitIsFinal = false, firstStartTries = FIRST_START_TRIES } = this.options;
    if (permanent) return reason;
    if (firstExitIsFinal && !killed) return `The ${name} process ended while starting: ${reason}`;
    if (this.failedStarts < firstStartTries) return null;
    return `The ${name} process ended ${firstStartTries} times while starting: ${reason}`;
  }

  private refuse(reason: string): void {
    this.stopped = true;
    this.emit('refused', new ChildFailedError(reason));
  }
}
