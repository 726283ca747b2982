import { EventEmitter } from 'node:events';
import { Backoff, BackoffOptions, CHILD_BACKOFF } from './backoff';
import { ChildCommand, ChildRun, ChildExit } from './child-run';
import { Payload, reasonOf } from './child-messages';
import { ChildFailedError, ChildUnansweredError } from './child-messages';
import { ProcessLogger } from './child-messages';

/** Deaths before the first `ready` after which a start is given up. */
const FIRST_START_TRIES = 5;

export interface SupervisedChildOptions {
  /** Names the process in log lines and errors: `engine`, `recorder`. */
  name: string;
  /** Asked before every life; throwing refuses the first start and delays later ones. */
  command: () => Promise<ChildCommand>;
  logger: ProcessLogger;
  backoff?: BackoffOptions;
}

interface CompanionEvents {
  /** The process is ready, for the first time or again; with the payload of its `ready`. */
  up: [payload: Payload];
  /** The process ended although nobody asked it to; a restart is under way. */
  down: [];
  /** The first start is given up, with the reason. */
  refused: [error: ChildFailedError];
}

/**
 * Supervises one child process of the primary for good: starts it in a process group of its own,
 * restarts it when it dies, asks it questions, stops it. The child's side is `serveParent`.
 * A first start that cannot work rejects; once it has been up, restarts are never given up.
 */
export class SupervisedChild extends EventEmitter<CompanionEvents> {
  private readonly backoff: Backoff;
  private life?: ChildRun;
  private up = false;
  private everUp = false;
  private stopped = false;
  private restart?: NodeJS.Timeout;
  private failedStarts = 0;

  constructor(private readonly options: SupervisedChildOptions) {
    super();
    this.backoff = new Backoff(options.backoff ?? CHILD_BACKOFF);
  }

  /** The id of the running process; undefined between two lives. */
  get pid(): number | undefined {
    return this.life?.pid;
  }

  /**
   * Starts the process, once in the life of this object.
   * @returns the payload of its `ready` message
   * @throws ChildFailedError when it says that it cannot run here, or keeps dying
   */
  start(): Promise<Payload> {
    const ready = new Promise<Payload>((resolve, reject) => {
      this.once('up', resolve);
      this.once('refused', reject);
    });
    void this.live();
    return ready;
  }

  /** Puts a question to the process; rejects with ChildUnansweredError without an answer. */
  async call(type: string, payload: Payload, timeoutMs: number): Promise<Payload> {
    if (this.life === undefined || !this.up) {
      throw new ChildUnansweredError(this.options.name, type, 'it is down');
    }
    return this.life.call(type, payload, timeoutMs);
  }

  /** For when its work is urgent: it has normal priority again, to the end of its life. */
  raisePriority(): void {
    this.life?.raisePriority();
  }

  /** Has the process end by itself, or kills it after `timeoutMs`; resolves when it is gone. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopped = true;
    this.up = false;
    clearTimeout(this.restart);
    if (!this.everUp) this.refuse('it was stopped before it was ready');
    await this.life?.stop(timeoutMs);
  }

  private async live(): Promise<void> {
    const { name, command, logger } = this.options;
    try {
      const line = await command();
      if (this.stopped) return;
      const life = new ChildRun(name, line, logger);
      this.life = life;
      life.on('ready', (payload) => this.rise(payload));
      life.on('end', (end) => this.fall(end, performance.now() - life.bornAt));
    } catch (error) {
      this.fall({ reason: reasonOf(error), permanent: true }, 0);
    }
  }

  private rise(payload: Payload): void {
    if (this.stopped) return;
    const again = this.everUp;
    this.up = true;
    this.everUp = true;
    if (again) this.options.logger.info(`The ${this.options.name} process is up again`);
    this.emit('up', payload);
  }

  private fall({ reason, permanent }: ChildExit, livedMs: number): void {
    const { name, logger } = this.options;
    const wasUp = this.up;
    this.life = undefined;
    this.up = false;
    if (this.stopped) return;
    if (!this.everUp && permanent) {
      this.refuse(reason);
      return;
    }
    this.failedStarts += 1;
    if (!this.everUp && this.failedStarts >= FIRST_START_TRIES) {
      this.refuse(`The ${name} process ended ${FIRST_START_TRIES} times at its start: ${reason}`);
      return;
    }
    const delay = this.backoff.next(livedMs);
    logger.error(`The ${name} process ended (${reason}) and is started again in ${delay} ms`);
    this.restart = setTimeout(() => void this.live(), delay);
    if (wasUp) this.emit('down');
  }

  private refuse(reason: string): void {
    this.stopped = true;
    this.emit('refused', new ChildFailedError(reason));
  }
}
