import './program/node-version';
import './processes/bundle';
import cluster from 'node:cluster';
import { processEnvironment, readRuntime } from './config/environment';
import { readSettings, type Settings } from './config/settings';
import { checkOwnRedirects } from './common/own-host';
import { PinoLog, createPino } from './infrastructure/logging/pino-log';
import { startErrorMessage } from './program/start-error';
import { Primary } from './program/primary';
import { serveParent } from './processes/child-process/parent-channel';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Time limit for the shutdown, shorter than the 10 s that service managers allow. */
const STOP_MS = 9500;

async function main(): Promise<void> {
  const settings = readSettings(processEnvironment());
  checkOwnRedirects(settings.site, settings.http);
  const log = new PinoLog(createPino(settings.log));
  process.on('uncaughtException', (err) => {
    log.error('Uncaught exception', { err });
    process.exit(1);
  });
  process.on('unhandledRejection', (err) => log.error('Unhandled rejection', { err }));
  if (cluster.isWorker) await runWorker(settings, log);
  else await runPrimary(settings, log);
}

async function runPrimary(settings: Settings, log: PinoLog): Promise<void> {
  const primary = new Primary(settings, log);
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop(primary, signal, log));
  try {
    await primary.start();
  } catch (error) {
    await primary.stop().catch(() => undefined);
    fail(startErrorMessage(error, settings.data.dir));
  }
}

function stop(primary: Primary, signal: string, log: PinoLog): void {
  if (primary.isStopping) return;
  log.info(`${signal}: stopping`);
  setTimeout(() => process.exit(1), STOP_MS).unref();
  primary.stop().then(
    () => {
      log.info('Stopped');
      process.exit(0);
    },
    (err: unknown) => {
      log.error('Shutdown failed', { err });
      process.exit(1);
    },
  );
}

async function runWorker(settings: Settings, log: PinoLog): Promise<void> {
  const starting = import('./program/web.js').then(({ Web }) =>
    Web.start(settings, readRuntime(), log),
  );
  const primary = serveParent({
    // Handles signals during startup, too. A failed startup is logged below.
    onStop: async () => (await starting.catch(() => undefined))?.stop(),
    // Exits, because the primary manages ports and database. Clicks in the journal are safe.
    onOrphaned: () => process.exit(1),
  });
  try {
    await starting;
    primary.ready();
  } catch (error) {
    // The primary logs it once for all workers.
    primary.failed(startErrorMessage(error, settings.data.dir), { permanent: true });
  }
}

function fail(message: string): void {
  console.error(message);
  process.exit(1);
}

main().catch((error: unknown) => fail(startErrorMessage(error)));
