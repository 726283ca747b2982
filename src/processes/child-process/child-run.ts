import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { childEnvironment } from '../../config/environment';
import { type Contract, processTransport, RpcChannel, type RpcDispatch } from '../rpc/rpc';
import {
  failureReason,
  isLifecycleMessage,
  type LifecycleMessage,
  type Payload,
  type ProcessLogger,
} from './parent-channel';

/** Starts a process with an IPC channel synchronously. */
export type Launch = () => ChildProcess;

export interface ChildCommand {
  command: string;
  args: string[];
  /** Variables to add to those that all children get. A child inherits no other variables. */
  env?: Readonly<Record<string, string>>;
  /** 0 to 19. A higher value gives the process less CPU time under load. */
  niceness?: number;
  /** `advanced` for messages that carry bytes. */
  serialization?: 'json' | 'advanced';
}

export function spawning({
  command,
  args,
  env,
  niceness = 0,
  serialization = 'json',
}: ChildCommand): Launch {
  return () => {
    // A separate process group, so that Ctrl-C in a terminal does not stop the child.
    const child = spawn(command, args, {
      env: { ...childEnvironment(), ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization,
    });
    if (child.pid !== undefined && niceness > 0) setNiceness(child.pid, niceness);
    return child;
  };
}

/**
 * Sets a niceness from 0 to 19. With Linux autogroup, it applies to the session and any user may
 * lower it again; otherwise, only root may. Call right after launch, so that threads inherit it.
 */
export function setNiceness(pid: number, niceness: number): void {
  const session = `/proc/${pid}/autogroup`;
  try {
    if (existsSync(session)) writeFileSync(session, String(niceness));
    else setPriority(pid, niceness);
  } catch {
    // Setting it is not permitted, or the process has ended.
  }
}

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
  /** The process has closed its channel, because it ends. It may not have exited yet. */
  disconnected: [];
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
    child.on('disconnect', () => {
      served?.disconnect();
      this.emit('disconnected');
    });
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
