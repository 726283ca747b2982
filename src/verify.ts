import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AuditRepository } from './analytics/audit/audit.repository';
import { Auditor } from './analytics/audit/auditor';
import { processEnvironment } from './config/environment';
import { MongoOptions } from './config/options';
import { readSettings, type Settings } from './config/settings';
import { EmbeddedEngine } from './platform/mongo/engine/embedded-engine';
import { openConnection } from './platform/mongo/open-connection';
import { PlainLog } from './platform/logging/plain-log';
import { acquireProcessLock } from './platform/process/process-lock';
import { DATABASE } from './supervisor/primary';

// npm run verify [-- --repair]: compares everything that is recorded and names each difference.
// Ends with 0 when there is none, or all are mended; with 1 otherwise.

class AuditedMongo extends MongoOptions {
  constructor(
    readonly uri: string,
    readonly embedded: boolean,
  ) {
    super();
  }
}

async function main(): Promise<void> {
  const repair = process.argv.includes('--repair');
  const settings = readSettings(processEnvironment());
  const database = await openDatabase(settings);
  try {
    const connection = await openConnection(database.mongo);
    try {
      const auditor = new Auditor(new AuditRepository(connection), {
        repair,
        report: ({ linkId, what }, mended) => {
          console.log(`link ${linkId}: ${what}${mended ? ' (mended)' : ''}`);
        },
      });
      const { links, clicks, differences, mended } = await auditor.run();
      console.log(
        `verify: ${links} links, ${clicks} clicks, ${differences} differences, ${mended} mended`,
      );
      if (differences > mended) process.exitCode = 1;
    } finally {
      await connection.close();
    }
  } finally {
    await database.close();
  }
}

/** The configured database; the embedded one is started for the audit, under the service's lock. */
async function openDatabase(
  settings: Settings,
): Promise<{ mongo: MongoOptions; close: () => Promise<void> }> {
  if (settings.mongoUri !== null) {
    return { mongo: new AuditedMongo(settings.mongoUri, false), close: () => Promise.resolve() };
  }
  const { dir } = settings.data;
  if (!existsSync(join(dir, 'mongo'))) throw new Error(`There is no database in ${dir}`);
  const lock = await acquireProcessLock(join(dir, 'curtail.lock'), { waitMs: 0 });
  const engine = new EmbeddedEngine({ dataDir: dir, logger: new PlainLog() });
  try {
    await engine.start();
  } catch (error) {
    lock.release();
    throw error;
  }
  const close = async (): Promise<void> => {
    await engine.stop();
    lock.release();
  };
  return { mongo: new AuditedMongo(engine.uri(DATABASE), true), close };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
