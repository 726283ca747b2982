import { join } from 'node:path';
import { jobsEnvironment } from '../config/environment';
import type { Runtime } from '../config/options';
import type { Settings } from '../config/settings';
import type { AppLog } from '../common/log';
import type { JobsCalls, JobsMetrics } from '../infrastructure/jobs/jobs.calls';
import { type ChildServer, spawning } from '../processes/child-process/child-run';
import { SupervisedChild } from '../processes/child-process/supervised-child';
import { visitorSecret } from './secret';
import { primaryHandlers } from '../processes/rpc/primary-client';

/** Lower priority than redirects and the recorder. */
const JOBS_NICENESS = 10;
const WAKE_CALL_MS = 1000;

/** The jobs process receives no changes, but sends its changes to the web processes. */
const SERVED: ChildServer<JobsCalls> = {
  connect: () => ({
    dispatch: (topic, request) => primaryHandlers.dispatch(topic, request),
    disconnect: () => undefined,
  }),
};

type JobsProcess = SupervisedChild<JobsCalls>;

/** The jobs process. To save memory, it starts with the first job; it then keeps running. */
export class JobsChild {
  private child?: JobsProcess;
  private stopped = false;

  constructor(
    private readonly make: () => JobsProcess,
    private readonly log: AppLog,
  ) {
    primaryHandlers.handle('jobs.wake', () => {
      this.wake();
      return undefined;
    });
  }

  /** Undefined before the first job; rejects if the process is unresponsive. */
  async status(timeoutMs: number): Promise<JobsMetrics | undefined> {
    return this.child?.call('status', null, timeoutMs);
  }

  async stop(timeoutMs: number): Promise<void> {
    this.stopped = true;
    await this.child?.stop(timeoutMs);
  }

  private wake(): void {
    if (this.stopped) return;
    if (this.child === undefined) this.start();
    // While the process is starting, it will look for jobs anyway.
    else this.child.call('wake', null, WAKE_CALL_MS).catch(() => undefined);
  }

  private start(): void {
    const child = this.make();
    this.child = child;
    child.start().catch((err: unknown) => {
      if (this.stopped) return;
      this.child = undefined;
      this.log.error('The jobs process could not start; retrying while jobs are waiting', {
        err,
      });
    });
  }
}

export function jobsChild(settings: Settings, runtime: Runtime, log: AppLog): JobsProcess {
  const env = jobsEnvironment({
    mongo: { uri: runtime.mongoUri, embedded: settings.mongoUri === null },
    dataDir: settings.data.dir,
    jwtSecret: runtime.secret,
    allowedNetworks: [...settings.outbound.allowedNetworks],
    baseUrl: settings.http.baseUrl,
    blocklist: settings.blocklist,
    redisUrl: settings.redis.url,
    geoipDb: settings.geo.dbPath,
    visitorSecret: visitorSecret(settings),
    clickHouse: settings.clickHouse,
    mail: settings.mail,
    siteName: settings.site.name,
    imports: settings.imports,
    aliases: settings.aliases,
  });
  const script = join(__dirname, 'jobs', 'jobs.process.js');
  return new SupervisedChild({
    name: 'jobs',
    logger: log,
    server: SERVED,
    prepare: () =>
      spawning({ command: process.execPath, args: [script], env, niceness: JOBS_NICENESS }),
  });
}
