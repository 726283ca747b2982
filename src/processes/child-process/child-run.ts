import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Contract, processTransport, RpcChannel, type RpcDispatch } from '../rpc/rpc';
import {
  isLifecycleMessage,
  type LifecycleMessage,
  type Payload,
  type ProcessLogger,
  failureReason,
} from './child-messages';
import { setNiceness } from './launch';

export interface ChildExit {
  reason: string;
  /** Whether the process reported that a retry would also fail. */
  permanent: boolean;
  /** Whether a signal ended the process. */
  killed: boolean;
}

export interface ChildServer<Calls extends Contract<Calls>> {
  connect(channel: RpcChannel<Calls>): { dispatch: RpcDispatch; disconnect: () => void };
}

interface RunEvents {
  ready: [payload: Payload];
  step: [step: string];
  pong: [];
  /** Emitted exactly once, even if the process does not start. */
  end: [end: ChildExit];
}

export class ChildRun<Calls extends Contract<Calls>> extends EventEmitter<RunEvents> {
  readonly startedAt = performance.now();
  readonly channel: RpcChannel<Calls>;
  private failure?: Pick<ChildExit, 'reason' | 'permanent'>;
  private ended = false;

  constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
    private readonly logger: ProcessLogger,
    server?: ChildServer<Calls>,
  ) {
    super();
    this.relay(child.stdout, 'info');
    this.relay(child.stderr, 'warn');
    this.channel = new RpcChannel(name, processTransport(child), (topic, request) => {
      if (served === undefined) throw new Error(`no handler for '${topic}'`);
      return served.dispatch(topic, request);
    });
    const served = server?.connect(this.channel);
    child.on('disconnect', () => served?.disconnect());
    child.on('message', (message: unknown) => {
      if (isLifecycleMessage(message)) this.receive(message);
    });
    child.on('error', (error) => {
      if (child.pid === undefined) this.finish(failureReason(error), false);
    });
    child.on('exit', (code, signal) => {
      served?.disconnect();
      if (signal === null) this.finish(`exit code ${code ?? 'unknown'}`, false);
      else this.finish(`signal ${signal}`, true);
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  raisePriority(): void {
    if (this.child.pid !== undefined && !this.ended) setNiceness(this.child.pid, 0);
  }

  ping(): void {
    processTransport(this.child).send({ curtail: 'ping' } satisfies LifecycleMessage);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Requests a stop, and kills the process by its PID after the timeout. */
  async stop(timeoutMs: number): Promise<void> {
    if (this.ended) return;
    const end = new Promise<void>((resolve) => this.once('end', () => resolve()));
    processTransport(this.child).send({ curtail: 'stop' } satisfies LifecycleMessage);
    const deadline = setTimeout(() => {
      this.logger.warn(`The ${this.name} process did not stop within ${timeoutMs} ms; killing it`);
      this.kill();
    }, timeoutMs);
    await end;
    clearTimeout(deadline);
  }

  private receive(message: LifecycleMessage): void {
    if (message.curtail === 'ready') this.emit('ready', message.payload);
    else if (message.curtail === 'step') this.emit('step', message.step);
    else if (message.curtail === 'pong') this.emit('pong');
    else if (message.curtail === 'failed') {
      this.failure = { reason: message.message, permanent: message.permanent };
    }
  }

  private relay(stream: Readable | null, level: 'info' | 'warn'): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (line) =>
      this.logger[level](line, { process: this.name }),
    );
  }

  private finish(reason: string, killed: boolean): void {
    if (this.ended) return;
    this.ended = true;
    this.channel.close(`it ended (${reason})`);
    this.emit('end', { reason, permanent: false, killed, ...this.failure });
  }
}
