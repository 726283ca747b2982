import { join } from 'node:path';
import type { Runtime } from '../config/options';
import { riskySettings } from '../config/risks';
import type { Settings } from '../config/settings';
import { ClockWatch } from '../common/clock-watch';
import type { AppLog } from '../common/log';
import { relayBus } from '../infrastructure/change-bus/worker-bus';
import { EmbeddedEngine } from '../infrastructure/mongo/embedded-engine';
import { SupervisedChild } from '../processes/child-process/supervised-child';
import type { ProcessLock } from '../processes/process-lock';
import { CATCH_UP_MS, type RecorderCalls } from '../clicks/journal/journal.calls';
import { primaryHandlers } from '../processes/rpc/primary-client';
import { RpcHub } from '../processes/rpc/rpc-hub';
import { serveRateLimits } from '../infrastructure/rate-limit-store/primary.rate-limit-store';
import { recorderEnvironment } from '../config/environment';
import { spawning } from '../processes/child-process/child-run';
import { takeDataDir } from './data-dir';
import { jobsChild, JobsChild } from './jobs-child';
import { exposedSecrets, signingSecret, visitorSecret } from './secret';
import { serveStatistics, statisticsChild, StatisticsChild } from './statistics-child';
import { MachineMetricsCollector, type MachineProcesses } from './machine-metrics';
import { WebWorkers } from './web-workers';

export const DATABASE = 'curtail';
const WORKERS_MS = 5000;
const DRAIN_MS = 4000;
const CLOSING_MS = 1500;
/** Shutdown time limit for running statistics queries; the journal is drained meanwhile. */
const COUNTING_MS = 1500;
/** Shutdown time limit for running job steps; the web part stops meanwhile. */
const JOBS_STOP_MS = 4500;
/** A starting recorder responds only after reading its city database. */
const OPENING_MS = 5000;

interface WebPart {
  stop(): Promise<void>;
}

/** Locks DATA_DIR, supervises all child processes, and stops them in order. */
export class Primary {
  private lock?: ProcessLock;
  private engine?: EmbeddedEngine;
  private recorder?: SupervisedChild<RecorderCalls>;
  private statistics?: StatisticsChild;
  private jobs?: JobsChild;
  private web?: WebPart;
  private ready = false;
  private stopping?: Promise<void>;
  private clock?: ClockWatch;

  constructor(
    private readonly settings: Settings,
    private readonly log: AppLog,
  ) {}

  async start(): Promise<void> {
    const { settings, log } = this;
    if (settings.mongoUri !== null) await checkMongoUri(settings.mongoUri);
    this.lock = await takeDataDir(settings.data.dir);
    this.clock = new ClockWatch(log);
    const mongoUri = settings.mongoUri ?? (await this.startEngine());
    const secret = signingSecret(settings);
    this.recorder = recorderChild(settings, mongoUri, log);
    const recording = this.recorder.start();
    // The promise is awaited below. If the web part fails first, that error is reported instead.
    recording.catch(() => undefined);
    this.statistics = new StatisticsChild(() => statisticsChild(settings, mongoUri, log));
    const runtime = { mongoUri, secret };
    this.jobs = new JobsChild(() => jobsChild(settings, runtime, log), log);
    primaryHandlers.handle('journal.catch-up', () => this.catchUp());
    this.web = await this.startWeb(runtime, {
      recorder: this.recorder,
      statistics: this.statistics,
      jobs: this.jobs,
    });
    await recording;
    this.ready = true;
    this.announce();
  }

  get isStopping(): boolean {
    return this.stopping !== undefined;
  }

  /** Stops the web part, drains the journal, and stops the recorder and the engine. */
  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<void> {
    const jobsEnded = this.jobs?.stop(JOBS_STOP_MS);
    await this.web?.stop();
    const counted = this.statistics?.stop(COUNTING_MS);
    // After a failed startup, there is nothing to record.
    if (this.ready) await this.drain();
    await counted;
    await jobsEnded;
    await this.recorder?.stop(this.ready ? CLOSING_MS : OPENING_MS);
    await this.engine?.stop();
    this.clock?.stop();
    this.lock?.release();
  }

  private async drain(): Promise<void> {
    this.recorder?.raisePriority();
    this.engine?.raisePriority();
    try {
      await this.recorder?.call('drain', { timeoutMs: DRAIN_MS - 500 }, DRAIN_MS);
    } catch (error) {
      this.log.warn(
        'Could not record the whole click journal; the rest will be recorded at the next startup',
        {
          reason: error instanceof Error ? error.message : String(error),
        },
      );
    }
  }

  private async catchUp(): Promise<undefined> {
    return this.recorder?.call('drain', { timeoutMs: CATCH_UP_MS }, CATCH_UP_MS);
  }

  private async startEngine(): Promise<string> {
    this.engine = new EmbeddedEngine({ dataDir: this.settings.data.dir, logger: this.log });
    await this.engine.start();
    return this.engine.uri(DATABASE);
  }

  private async startWeb(runtime: Runtime, companions: MachineProcesses): Promise<WebPart> {
    const { settings, log } = this;
    if (settings.concurrency === 1) {
      new MachineMetricsCollector(companions, null);
      serveStatistics(companions.statistics, null);
      // Imported on demand, because a primary with workers does not need Nest.
      const { Web } = await import('./web.js');
      return Web.start(settings, runtime, log);
    }
    const hub = serveWorkers(companions);
    const workers = new WebWorkers(settings.concurrency, runtime, hub, log);
    // `web` is set before the workers start, so that a stop during startup also ends them.
    this.web = { stop: () => workers.stop(WORKERS_MS) };
    await workers.start();
    return this.web;
  }

  private announce(): void {
    const { http, data, mongoUri } = this.settings;
    for (const line of riskySettings(this.settings)) this.log.warn(line);
    for (const line of exposedSecrets(this.settings)) this.log.warn(line);
    this.log.info(`Ready: open ${http.baseUrl}`, {
      listen: `${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`,
      database: mongoUri === null ? `embedded, in ${join(data.dir, 'mongo')}` : 'MONGODB_URI',
      data: data.dir,
    });
  }
}

/** Imports the driver on demand, because a primary with workers does not need it otherwise. */
async function checkMongoUri(uri: string): Promise<void> {
  const driver = await import('../infrastructure/mongo/mongo-uri.js');
  driver.assertMongoUri(uri);
}

function serveWorkers(companions: MachineProcesses): RpcHub {
  const hub = new RpcHub();
  relayBus(hub);
  serveRateLimits();
  new MachineMetricsCollector(companions, hub);
  serveStatistics(companions.statistics, hub);
  return hub;
}

/** Lower priority than redirects; on a busy machine, clicks wait in the journal. */
const RECORDER_NICENESS = 5;

function recorderChild(
  settings: Settings,
  mongoUri: string,
  log: AppLog,
): SupervisedChild<RecorderCalls> {
  const env = recorderEnvironment({
    mongo: { uri: mongoUri, embedded: settings.mongoUri === null },
    dataDir: settings.data.dir,
    geoipDb: settings.geo.dbPath,
    visitorSecret: visitorSecret(settings),
    clickHouse: settings.clickHouse,
  });
  const script = join(__dirname, '..', 'clicks', 'recorder', 'recorder.process.js');
  return new SupervisedChild({
    name: 'recorder',
    logger: log,
    // Redirects continue without it: clicks wait in the journal, and `/health` is degraded.
    startsInBackground: true,
    prepare: () =>
      spawning({ command: process.execPath, args: [script], env, niceness: RECORDER_NICENESS }),
  });
}
