import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { eventually } from './shared/eventually';
import { endAfterFile } from './left-running';
import { programPath } from './programs';
import { freePort } from './service';

/** Tests that need Redis are skipped if Redis is not installed. */
export const redisInstalled = programPath('redis-server') !== null;

export class TestRedis {
  private child?: ChildProcess;

  private constructor(
    readonly port: number,
    /** A Unix socket to use instead of a port. */
    private readonly socket?: { path: string; password: string },
  ) {}

  static async start(): Promise<TestRedis> {
    const redis = new TestRedis(await freePort());
    await redis.resume();
    return redis;
  }

  static async onSocket(path: string, password: string): Promise<TestRedis> {
    const redis = new TestRedis(0, { path, password });
    await redis.resume();
    return redis;
  }

  get url(): string {
    if (this.socket !== undefined) {
      const { path, password } = this.socket;
      return `redis+unix://:${encodeURIComponent(password)}@${path}`;
    }
    return `redis://127.0.0.1:${this.port}`;
  }

  async resume(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', ''];
    if (this.socket !== undefined) {
      options.push('--unixsocket', this.socket.path, '--requirepass', this.socket.password);
    }
    this.child = spawn('redis-server', [...options, '--appendonly', 'no'], { stdio: 'ignore' });
    endAfterFile(() => this.stop());
    await eventually(() => isListening(this.socket?.path ?? this.port));
  }

  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}

function isListening(where: number | string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = typeof where === 'string' ? connect(where) : connect(where, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.end();
      resolve(true);
    });
  });
}
