import type { Logger } from '../../common/log';
import type { MongoOptions } from '../../config/options';
import type { ClickHouseOptions } from '../../engines/click-house/click-house';
import type { JournalReader } from '../journal/journal.reader';
import type { GeoReader } from '../../infrastructure/geoip/geo.reader';
import { openConnection } from '../../infrastructure/mongo/open-connection';
import { ClickDaysRepository } from '../store/click-days.repository';
import { ClickStore } from '../store/click-store';
import { ClickStoreRepository } from '../store/click-store.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import type { ClicksStoredEvents } from '../clicks-stored';
import { ClickHomeRepository } from '../store/click-home.repository';
import { CompactionService } from '../compaction/compaction.service';
import { CompactionRepository } from '../compaction/compaction.repository';
import type { RecorderContext } from './batch.recorder';
import { Enricher, VisitorHasher } from './enricher';
import { NodeLease, type NodeLeaseTimes, type RecordingNode, soleNode } from './node-lease';
import { NodeLeaseRepository } from './node-lease.repository';
import { VisitorKeyRepository } from './visitor-key.repository';

export interface RecorderContextOptions {
  mongo: MongoOptions;
  clickHouse: ClickHouseOptions | null;
  geo: GeoReader;
  visitorSecret: string;
  stored: ClicksStoredEvents;
  dataDir: string;
  journal: JournalReader;
  log: Logger;
  /** Null if no other service can use the database. */
  lease: NodeLeaseTimes | null;
}

/** The first successful call connects and claims the node name; later calls reuse both. */
export function recorderContext(options: RecorderContextOptions): () => Promise<RecorderContext> {
  let context: RecorderContext | undefined;
  return async () => (context ??= await open(options));
}

async function open(options: RecorderContextOptions): Promise<RecorderContext> {
  const { mongo, clickHouse, geo, visitorSecret, stored } = options;
  const connection = await openConnection(mongo);
  try {
    const stores = new ClickStoreRepository(connection);
    await stores.ensureIndexes();
    const home = new ClickHomeRepository(connection);
    await home.claim(clickHouse === null ? 'mongodb' : 'clickhouse');
    const days = new ClickDaysRepository(connection);
    await days.begin(new Date());
    const key = await new VisitorKeyRepository(connection).findOrMake(visitorSecret);
    const node = await recordingNode(new NodeLeaseRepository(connection), options);
    const elsewhere = clickHouse && (await clickHouseParts(clickHouse));
    stored.subscribe(new CompactionService(new CompactionRepository(connection)));
    return {
      store: new ClickStore(stores, new LinksRepository(connection), (gone) =>
        elsewhere === null ? Promise.resolve() : elsewhere.care.remove(gone),
      ),
      clickHouse: elsewhere && elsewhere.writer,
      days,
      enricher: new Enricher(geo, new VisitorHasher(key)),
      stored,
      node,
      checkHome: () => home.check(clickHouse),
    };
  } catch (error) {
    await connection.destroy();
    throw error;
  }
}

/** Imported on demand, because only installations with ClickHouse need the client. */
async function clickHouseParts(options: ClickHouseOptions) {
  const [{ ClickHouse }, { ClickTable }, { ClickWriter }, { ClickCare }] = await Promise.all([
    import('../../engines/click-house/click-house.js'),
    import('../../engines/click-house/click-table.js'),
    import('../../engines/click-house/click-writer.js'),
    import('../../engines/click-house/click-care.js'),
  ]);
  const table = new ClickTable(new ClickHouse(options));
  return { writer: new ClickWriter(table), care: new ClickCare(table) };
}

async function recordingNode(
  repository: NodeLeaseRepository,
  { dataDir, journal, log, lease: times }: RecorderContextOptions,
): Promise<RecordingNode> {
  if (times === null) return soleNode(dataDir, log);
  const inherited = await journal.inherited();
  const lease = new NodeLease({ dataDir, repository, log, times });
  if ((await lease.acquire()) === 'copied' && inherited.length > 0) {
    for (const name of inherited) await journal.quarantine(name);
    log.error(
      'Moved journal files that were copied with DATA_DIR to quarantine; they are not recorded',
      {
        files: inherited.length,
      },
    );
  }
  return lease;
}
