import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClickHouse } from '../../engines/click-house/with-click-house';
import { JournalReader } from '../../clicks/journal/journal.reader';
import { ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { MovedClicksRepository } from '../../clicks/store/moved-clicks.repository';
import { VisitorKeyRepository } from '../../clicks/recorder/visitor-key.repository';
import { countNoun } from '../../common/plain-text';
import { processEnvironment } from '../../config/environment';
import { parseMongoUri } from '../../config/environment.schema';
import { readSettings, type Settings } from '../../config/settings';
import { mongoUriFault } from '../../infrastructure/mongo/mongo-uri';
import { withConnection } from '../../infrastructure/mongo/open-connection';
import { acquireProcessLock, type ProcessLock } from '../../processes/process-lock';
import { LockHeldError } from '../../processes/processes.errors';
import { ClickMove } from './copy-clicks';
import { UsageError, CopyDiffersError } from './cli.errors';
import { Progress, runCommand } from './command';
import { type CollectionSummary, CopyRepository } from './copy.repository';
import {
  askForPause,
  CommandLog,
  type DatabaseConnection,
  stoppedService,
  withDatabase,
  withEngine,
  withRecordingPaused,
} from './own-database';
import { compareAnswers } from './same-answers';

const COPY_USAGE = `Usage: curtail copy --to [mongodb://…]     embedded database to a MongoDB
       curtail copy --from [mongodb://…]   MongoDB to the embedded database
       curtail copy --clicks clickhouse    clicks to ClickHouse (CLICKHOUSE_URL)
       curtail copy --clicks mongodb       clicks from ClickHouse to the database

--to and --from copy everything. The embedded database is that of DATA_DIR.
Without an address they use MONGODB_URI, which keeps passwords out of process
lists. Before a copy, stop every service on either database; the target must be
empty. Run the command again to resume an interrupted copy.

--clicks moves clicks; only their totals stay at the source. The service on
DATA_DIR may run: it redirects, and its clicks wait in the journal until you
restart it with the new setting. Stop all other services on the same MongoDB.
The command compares the counts of every link and the results of 50 queries.

Exit codes: 0 copied and compared, 1 failed, 2 invalid arguments.`;

interface CopyCommand {
  direction: 'to' | 'from';
  uri: string;
}

/** Writes progress to standard error and the result to standard output; returns the exit code. */
export function runCopy(args: readonly string[]): Promise<number> {
  return runCommand(args, COPY_USAGE, async () => {
    if (args[0] === '--clicks') return moveClicks(args.slice(1));
    // MONGODB_URI is removed from the environment, because it would make other settings mandatory.
    const { MONGODB_URI, MONGODB_URI_FILE, ...environment } = processEnvironment();
    const configured = parseMongoUri({ MONGODB_URI, MONGODB_URI_FILE });
    return copy(parseCopyCommand(args, configured ?? ''), readSettings(environment));
  });
}

function parseCopyCommand(args: readonly string[], configured: string): CopyCommand {
  const [option, uri = configured, ...rest] = args;
  if (option !== '--to' && option !== '--from')
    throw new UsageError('Use --to, --from or --clicks');
  if (rest.length > 0) throw new UsageError('Only one address is allowed');
  if (uri === '') throw new UsageError(`${option} needs an address: add it, or set MONGODB_URI`);
  if (!/^mongodb(\+srv)?:\/\/./.test(uri)) {
    throw new UsageError('The address must start with mongodb:// or mongodb+srv://');
  }
  const fault = mongoUriFault(uri);
  if (fault !== null) throw new UsageError(`The address ${fault}`);
  return { direction: option === '--to' ? 'to' : 'from', uri };
}

async function moveClicks(args: readonly string[]): Promise<void> {
  const [home, ...rest] = args;
  if ((home !== 'clickhouse' && home !== 'mongodb') || rest.length > 0) {
    throw new UsageError('Use --clicks clickhouse or --clicks mongodb');
  }
  const settings = readSettings(processEnvironment());
  if (settings.clickHouse === null) throw new UsageError('Set CLICKHOUSE_URL');
  const { dir } = settings.data;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  await withDatabase(settings, async (connection, { mongo, shared }) => {
    const lock = shared ? await freeLock(dir) : null;
    const pause = await askForPause(dir);
    try {
      const isRunning = shared && lock === null;
      const service = { dir, isRunning, signal: new AbortController().signal };
      const moved = await withRecordingPaused(pause, service, () =>
        withClickHouse(settings.clickHouse, (table) => {
          if (table === null) throw new UsageError('Set CLICKHOUSE_URL');
          const homes = new ClickHomeRepository(connection);
          const stores = new MovedClicksRepository(connection);
          const progress = new Progress();
          return new ClickMove(homes, stores, table, {
            tell: (line) => progress.tell(line),
            compare: (links) => compareAnswers(settings, mongo.uri, links),
          }).to(home);
        }),
      );
      console.log(
        moved === null
          ? 'copy: the clicks are already in MongoDB'
          : `copy: ${countNoun(moved.clicks, 'click')}, no differences, ${countNoun(moved.questions, 'query result')} compared`,
      );
      const how = home === 'clickhouse' ? 'with' : 'without';
      console.error(`${isRunning ? 'Restart' : 'Start'} the service ${how} CLICKHOUSE_URL.`);
    } finally {
      await pause.end();
      lock?.release();
    }
  });
}

/** Returns null if a service is running. */
async function freeLock(dir: string): Promise<ProcessLock | null> {
  try {
    return await acquireProcessLock(join(dir, 'curtail.lock'), { waitMs: 0 });
  } catch (error) {
    if (error instanceof LockHeldError) return null;
    throw error;
  }
}

async function copy({ direction, uri }: CopyCommand, settings: Settings): Promise<void> {
  const { dir } = settings.data;
  if (direction === 'to' && !existsSync(join(dir, 'mongo'))) {
    throw new Error(`There is no embedded database in ${dir}; set DATA_DIR to its folder`);
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = await stoppedService(dir);
  const copyAll = (embedded: DatabaseConnection): Promise<void> =>
    withConnection({ uri, embedded: false }, async (mongodb) => {
      const [source, target] = direction === 'to' ? [embedded, mongodb] : [mongodb, embedded];
      reportCopy(await copied(new CopyRepository(source, target)));
      await advise(direction, settings, new VisitorKeyRepository(target));
    });
  await withEngine(dir, copyAll, lock);
}

async function copied(repository: CopyRepository): Promise<CollectionSummary[]> {
  if (await repository.begin()) console.error('Resuming the interrupted copy');
  const progress = new Progress();
  await repository.copy((collection, done, all) => {
    progress.tell(`${collection}: ${done} of ${countNoun(all, 'document')}`, done >= all);
  });
  console.error('Comparing …');
  try {
    const summaries = await repository.compare();
    await repository.finish();
    return summaries;
  } catch (error) {
    if (!(error instanceof CopyDiffersError)) throw error;
    throw new Error(
      `The databases differ in ${error.message}: something wrote to one of them. Stop every ` +
        'service, drop the target database, and copy again',
      { cause: error },
    );
  }
}

function reportCopy(summaries: readonly CollectionSummary[]): void {
  for (const { name, documents, digest } of summaries) {
    console.log(`${name}: ${countNoun(documents, 'document')}, sha256 ${digest}`);
  }
  const all = summaries.reduce((sum, { documents }) => sum + documents, 0);
  console.log(
    `copy: ${countNoun(summaries.length, 'collection')}, ${countNoun(all, 'document')}, no differences`,
  );
}

/** Prints which files and settings outside the database must be moved with it. */
async function advise(
  direction: CopyCommand['direction'],
  settings: Settings,
  targetKey: VisitorKeyRepository,
): Promise<void> {
  const { dir } = settings.data;
  const say = (line: string) => console.error(line);
  if (direction === 'to') {
    say(`Start the service with MONGODB_URI and with the same DATA_DIR (${dir})`);
    say(`and JWT_SECRET (if unset, ${join(dir, 'jwt-secret')}); another secret ends all sessions.`);
    say(`${join(dir, 'mongo')} is unchanged; delete it when you no longer need it.`);
  } else {
    say('Start the service without MONGODB_URI and with the same JWT_SECRET.');
  }
  const waiting = await new JournalReader(join(dir, 'journal'), new CommandLog()).list();
  if (waiting.length > 0) {
    say(
      `Journal files with clicks in ${dir}: ${waiting.length}. The service records them when it starts.`,
    );
  }
  const secret = readVisitorSecret(settings);
  if (secret !== null && !(await targetKey.accepts(secret))) {
    say("This machine's visitor key does not match the database: set VISITOR_KEY, or copy");
    say(
      `${join(dir, 'visitor-key')} from the machine that has it. Until then, no clicks are recorded.`,
    );
  }
}

/** Returns the secret that the service would use; null if the service would generate one. */
function readVisitorSecret({ visitorKey, data }: Settings): string | null {
  const file = join(data.dir, 'visitor-key');
  if (visitorKey !== null) return visitorKey;
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
