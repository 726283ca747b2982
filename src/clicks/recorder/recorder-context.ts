import type { Connection } from 'mongoose';
import type { MongoOptions } from '../../config/options';
import type { GeoReader } from '../../infrastructure/geoip/geo.reader';
import { openConnection } from '../../infrastructure/mongo/open-connection';
import { ClickStore } from '../store/click-store';
import { ClickStoreRepository } from '../store/click-store.repository';
import { LinksRepository } from '../../links/links.repository';
import type { ClicksStoredEvents, ClicksStoredListener } from '../clicks-stored';
import { CompactionService } from '../compaction/compaction.service';
import { CompactionRepository } from '../compaction/compaction.repository';
import type { RecorderContext } from './batch.recorder';
import { Enricher } from './enricher';
import { VisitorHasher } from './enricher';
import { VisitorKeyRepository } from './visitor-key.repository';

/**
 * Gives the context that works on this database: connects, makes the indexes and reads the visitor
 * key at the first call that succeeds, and gives the same context from then on.
 */
export function recorderContext(
  mongo: MongoOptions,
  geo: GeoReader,
  visitorSecret: string,
  stored: ClicksStoredEvents,
): () => Promise<RecorderContext> {
  let context: RecorderContext | undefined;
  return async () => (context ??= await open(mongo, geo, visitorSecret, stored));
}

async function open(
  mongo: MongoOptions,
  geo: GeoReader,
  visitorSecret: string,
  stored: ClicksStoredEvents,
): Promise<RecorderContext> {
  const connection = await openConnection(mongo);
  try {
    const stores = new ClickStoreRepository(connection);
    await stores.ensureIndexes();
    const key = await new VisitorKeyRepository(connection).findOrMake(visitorSecret);
    for (const listener of databaseListeners(connection)) stored.subscribe(listener);
    return {
      store: new ClickStore(stores, new LinksRepository(connection)),
      enricher: new Enricher(geo, new VisitorHasher(key)),
      stored,
    };
  } catch (error) {
    await connection.destroy();
    throw error;
  }
}

/** What follows from recorded clicks and needs the database; a further listener is one line here. */
function databaseListeners(connection: Connection): ClicksStoredListener[] {
  return [new CompactionService(new CompactionRepository(connection))];
}
