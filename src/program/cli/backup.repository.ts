import { type Connection, mongo } from 'mongoose';
import { CLICK_BLOCKS, CLICK_STORES } from '../../clicks/store/click-store.schema';
import { REMOVED_LINKS } from '../../stores/links/removed-link.schema';
import { readCollections } from './copy.repository';

/**
 * Links before what belongs to them, so that everything whose link is lacking belongs to one made later;
 * what was removed meanwhile last, so that the restore knows all of it.
 */
const FIRST: readonly string[] = ['links', CLICK_STORES, CLICK_BLOCKS];
const LAST: readonly string[] = [REMOVED_LINKS];

const PIECE_BYTES = 1024 * 1024;

/** Reads whole collections as they are stored. */
export class BackupRepository {
  constructor(private readonly connection: Connection) {}

  /** Names, in the order in which they are to be read. */
  async collections(): Promise<string[]> {
    const names = await readCollections(this.connection);
    const known = [...FIRST, ...LAST];
    return [
      ...FIRST.filter((name) => names.includes(name)),
      ...names.filter((name) => !known.includes(name)),
      ...LAST.filter((name) => names.includes(name)),
    ];
  }

  /** Returns indexes and name as `mongodump` writes them. */
  async metadata(name: string): Promise<Buffer> {
    const indexes = await this.connection.collection(name).listIndexes().toArray();
    const metadata = { indexes, collectionName: name, type: 'collection' };
    return Buffer.from(mongo.BSON.EJSON.stringify(metadata, { relaxed: false }));
  }

  /**
   * Every document in BSON, by ascending id. One that was there before is given once, whatever is
   * written meanwhile.
   * @param counted gets the number of documents given so far
   */
  async *documents(name: string, counted: { documents: number }): AsyncGenerator<Buffer> {
    const cursor = this.connection
      .collection(name)
      .find({}, { raw: true })
      .sort({ _id: 1 })
      .hint({ _id: 1 });
    let waiting: Uint8Array[] = [];
    let bytes = 0;
    for await (const document of cursor as unknown as AsyncIterable<Uint8Array>) {
      counted.documents += 1;
      waiting.push(document);
      bytes += document.length;
      if (bytes < PIECE_BYTES) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      bytes = 0;
    }
    if (bytes > 0) yield Buffer.concat(waiting);
  }
}
