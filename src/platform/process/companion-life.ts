import { ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { childEnvironment } from '../../config/environment';
import { ChildMessage, isChildMessage, Payload, reasonOf } from './companion-messages';
import { setNiceness } from './niceness';
import { PendingCalls } from './open-questions';
import { ProcessLogger } from './process-logger';

/** How a companion is started. */
export interface ChildCommand {
  command: string;
  args: string[];
  /** What it is told beyond what every child is; it inherits nothing else of the parent's. */
  env?: Readonly<Record<string, string>>;
  /** How far it stands back when the processor is short, 0 to 19. */
  niceness?: number;
}

/** Why a life ended; `permanent` when the process itself said that another would end likewise. */
export interface ChildExit {
  reason: string;
  permanent: boolean;
}

interface LifeEvents {
  ready: [payload: Payload];
  /** Exactly once, whether the process ended or could not be started at all. */
  end: [end: ChildExit];
}

/**
 * One life of a companion: a single child process from its spawn to its end, with its channel,
 * its output and the questions it has not answered yet.
 */
export class ChildRun extends EventEmitter<LifeEvents> {
  readonly bornAt = performance.now();
  private readonly child: ChildProcess;
  private readonly questions: PendingCalls;
  private failure?: ChildExit;
  private ended = false;

  constructor(
    private readonly name: string,
    { command, args, env, niceness = 0 }: ChildCommand,
    private readonly logger: ProcessLogger,
  ) {
    super();
    this.questions = new PendingCalls(name);
    // A process group of its own keeps a terminal's Ctrl-C away from it.
    this.child = spawn(command, args, {
      env: { ...childEnvironment(), ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    if (this.child.pid !== undefined && niceness > 0) setNiceness(this.child.pid, niceness);
    this.relay(this.child.stdout, 'info');
    this.relay(this.child.stderr, 'warn');
    this.child.on('message', (message: unknown) => {
      if (isChildMessage(message)) this.receive(message);
    });
    this.child.on('error', (error) => {
      if (this.child.pid === undefined) this.finish(reasonOf(error));
    });
    this.child.on('exit', (code, signal) =>
      this.finish(signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`),
    );
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  call(type: string, payload: Payload, timeoutMs: number): Promise<Payload> {
    return this.questions.open(type, timeoutMs, (id) => this.send({ ...payload, type, id }));
  }

  /** Has the process stand back no longer. */
  raisePriority(): void {
    if (this.child.pid !== undefined && !this.ended) setNiceness(this.child.pid, 0);
  }

  /** Asks the process to end and kills it, by its own pid alone, when it has not in time. */
  async stop(timeoutMs: number): Promise<void> {
    if (this.ended) return;
    const end = new Promise<void>((resolve) => this.once('end', () => resolve()));
    this.send({ type: 'stop' });
    const deadline = setTimeout(() => {
      this.logger.warn(`The ${this.name} process did not stop in ${timeoutMs} ms and is killed`);
      this.child.kill('SIGKILL');
    }, timeoutMs);
    await end;
    clearTimeout(deadline);
  }

  private send(message: ChildMessage): void {
    if (!this.child.connected) return;
    // A channel that breaks here is followed by the end of the process, which is handled.
    this.child.send(message, () => undefined);
  }

  private receive({ type, id, ...payload }: ChildMessage): void {
    if (type === 'ready') this.emit('ready', payload);
    else if (type === 'reply') this.questions.answer(id, payload);
    else if (type === 'failed') {
      const { message, permanent } = payload;
      this.failure = { reason: reasonOf(message), permanent: permanent === true };
    }
  }

  private relay(stream: Readable | null, level: 'info' | 'warn'): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (line) =>
      this.logger[level](line, { process: this.name }),
    );
  }

  private finish(reason: string): void {
    if (this.ended) return;
    this.ended = true;
    this.questions.abandon(`it ended (${reason})`);
    this.emit('end', this.failure ?? { reason, permanent: false });
  }
}
