import { ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { childEnvironment } from '../../config/environment';
import {
  ChildMessage,
  ChildUnansweredError,
  isChildMessage,
  Payload,
  ProcessLogger,
  reasonOf,
} from './child-messages';

interface OpenQuestion {
  type: string;
  resolve(reply: Payload): void;
  reject(error: Error): void;
  deadline: NodeJS.Timeout;
}

/** The questions put to one child process that it has not answered yet, by their id. */
export class PendingCalls {
  private readonly waiting = new Map<number, OpenQuestion>();
  private lastId = 0;

  constructor(private readonly child: string) {}

  /** Sends a question under a new id; settles with its reply, the time limit or the end. */
  open(type: string, timeoutMs: number, send: (id: number) => void): Promise<Payload> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => this.refuse(id, `no reply in ${timeoutMs} ms`), timeoutMs);
      this.waiting.set(id, { type, resolve, reject, deadline });
      send(id);
    });
  }

  /** Settles the question a reply belongs to; replies that come too late have none. */
  answer(id: unknown, { error, ...reply }: Payload): void {
    if (typeof id !== 'number') return;
    if (typeof error === 'string') this.refuse(id, error);
    else this.take(id)?.resolve(reply);
  }

  /** Refuses everything that is still open. */
  abandon(reason: string): void {
    for (const id of [...this.waiting.keys()]) this.refuse(id, reason);
  }

  private refuse(id: number, reason: string): void {
    const question = this.take(id);
    question?.reject(new ChildUnansweredError(this.child, question.type, reason));
  }

  private take(id: number): OpenQuestion | undefined {
    const question = this.waiting.get(id);
    this.waiting.delete(id);
    clearTimeout(question?.deadline);
    return question;
  }
}

/**
 * Sets the niceness of a process while others need the processor, 0 (not at all) to 19. Where
 * Linux weighs whole sessions against each other (autogroup), this is the session's weight, which
 * any user may take back; elsewhere the process's own, which only root may. To be called right
 * after the start, so that threads inherit it. A system that refuses leaves things as they are.
 */
export function setNiceness(pid: number, niceness: number): void {
  const session = `/proc/${pid}/autogroup`;
  try {
    if (existsSync(session)) writeFileSync(session, String(niceness));
    else setPriority(pid, niceness);
  } catch {
    // No such right, or the process is gone: redirects then compete on equal terms.
  }
}

/** How a child is started. */
export interface ChildCommand {
  command: string;
  args: string[];
  /** What it is told beyond what every child is; it inherits nothing else of the parent's. */
  env?: Readonly<Record<string, string>>;
  /** Its niceness when the processor is short, 0 to 19. */
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
 * One life of a child: a single child process from its spawn to its end, with its channel,
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

  /** Has the process run at normal priority. */
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
