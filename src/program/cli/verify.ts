import '../node-version';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ClickCare } from '../../click-house/click-care';
import { withClickHouse } from '../../click-house/with-click-house';
import { AuditRepository } from '../../clicks/audit/audit.repository';
import { ClickAudit } from '../../clicks/audit/click-audit';
import { ClicksElsewhere } from '../../clicks/audit/clicks-elsewhere';
import { ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { processEnvironment } from '../../config/environment';
import type { MongoOptions } from '../../config/options';
import { readSettings, type Settings } from '../../config/settings';
import {
  EmbeddedEngine,
  engineSocket,
  engineUri,
} from '../../infrastructure/mongo/embedded-engine';
import { assertMongoUri } from '../../infrastructure/mongo/mongo-uri';
import { withConnection } from '../../infrastructure/mongo/open-connection';
import { PlainLog } from '../../infrastructure/logging/plain-log';
import { acquireProcessLock, LockHeldError } from '../../processes/process-lock';
import { DATABASE } from '../primary';

const VERIFY_USAGE = `Usage: curtail verify [--repair]

Compares everything that is recorded and names each difference, beside the running service or
without it. Ends with 0 when there is none, or all are repaired; with 1 otherwise.`;

/** Returns the exit code. */
export async function runVerify(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(VERIFY_USAGE);
    return 0;
  }
  try {
    return await verify(args.includes('--repair'));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

async function verify(repair: boolean): Promise<number> {
  const settings = readSettings(processEnvironment());
  if (settings.mongoUri !== null) assertMongoUri(settings.mongoUri);
  const database = await openDatabase(settings);
  try {
    return await withConnection(database.mongo, async (connection) => {
      await new ClickHomeRepository(connection).check(settings.clickHouse);
      const repository = new AuditRepository(connection);
      return withClickHouse(settings.clickHouse, (table) =>
        audit(repository, repair, table && new ClicksElsewhere(new ClickCare(table))),
      );
    });
  } finally {
    await database.close();
  }
}

async function audit(
  repository: AuditRepository,
  repair: boolean,
  elsewhere: ClicksElsewhere | null,
): Promise<number> {
  const auditor = new ClickAudit(repository, {
    repair,
    elsewhere,
    report: ({ linkId, what }, repaired) => {
      console.log(`link ${linkId}: ${what}${repaired ? ' (repaired)' : ''}`);
    },
  });
  const { links, clicks, differences, repaired } = await auditor.run();
  console.log(
    `verify: ${links} links, ${clicks} clicks, ${differences} differences, ${repaired} repaired`,
  );
  return differences > repaired ? 1 : 0;
}

interface AuditedDatabase {
  mongo: MongoOptions;
  close: () => Promise<void>;
}

/** The configured database, or the embedded one: the running service's, or one started for this. */
async function openDatabase({ mongoUri, data }: Settings): Promise<AuditedDatabase> {
  if (mongoUri !== null) return borrowed(mongoUri, false);
  if (!existsSync(join(data.dir, 'mongo'))) throw new Error(`There is no database in ${data.dir}`);
  try {
    return await ownEngine(data.dir);
  } catch (error) {
    const socket = engineSocket(data.dir);
    if (!(error instanceof LockHeldError) || !existsSync(socket)) throw error;
    return borrowed(engineUri(socket, DATABASE), true);
  }
}

function borrowed(uri: string, embedded: boolean): AuditedDatabase {
  return { mongo: { uri, embedded }, close: () => Promise.resolve() };
}

/** Under the service's lock: throws LockHeldError while the service runs. */
async function ownEngine(dir: string): Promise<AuditedDatabase> {
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
  return { mongo: { uri: engine.uri(DATABASE), embedded: true }, close };
}

if (require.main === module) {
  void runVerify(process.argv.slice(2)).then((code) => (process.exitCode = code));
}
