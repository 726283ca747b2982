import cluster from 'node:cluster';
import { processEnvironment, readRuntime } from './config/environment';
import { readSettings, type Settings } from './config/settings';
import { PinoLog, createPino } from './infrastructure/logging/pino-log';
import { startErrorMessage } from './runtime/start-error';
import { Primary } from './runtime/primary';
import { serveAsWorker } from './runtime/worker';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A stop that hangs must not outlast what service managers grant (10 s). */
const STOP_MS = 9500;

async function main(): Promise<void> {
  const settings = readSettings(processEnvironment());
  const log = new PinoLog(createPino(settings.log.level));
  process.on('uncaughtException', (err) => {
    log.error('Uncaught exception', { err });
    process.exit(1);
  });
  process.on('unhandledRejection', (err) => log.error('Unhandled promise rejection', { err }));
  if (cluster.isWorker) await runWorker(settings, log);
  else await runPrimary(settings, log);
}

async function runPrimary(settings: Settings, log: PinoLog): Promise<void> {
  const primary = new Primary(settings, log);
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      log.info(`${signal}: stopping`);
      setTimeout(() => process.exit(1), STOP_MS).unref();
      void primary.stop().finally(() => process.exit(0));
    });
  }
  try {
    await primary.start();
  } catch (error) {
    await primary.stop().catch(() => undefined);
    throw error;
  }
}

async function runWorker(settings: Settings, log: PinoLog): Promise<void> {
  // Signals reach the whole process group; the primary says when to stop.
  for (const signal of SIGNALS) process.on(signal, () => undefined);
  const starting = import('./runtime/web.js').then(({ Web }) =>
    Web.start(settings, readRuntime(), log),
  );
  await serveAsWorker(starting);
}

main().catch((error: unknown) => {
  console.error(startErrorMessage(error));
  process.exit(1);
});
