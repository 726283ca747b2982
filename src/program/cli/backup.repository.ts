import { type Connection, mongo } from 'mongoose';
import { CLICK_BLOCKS, CLICK_STORES } from '../../clicks/store/click-store.schema';
import { REMOVED_LINKS } from '../../stores/links/removed-link.schema';
import { readCollections } from './copy.repository';

/**
 * Links come before their data, so that data without a link belongs to a newer link; removed
 * links come last, so that the restore knows all of them.
 */
const FIRST: readonly string[] = ['links', CLICK_STORES, CLICK_BLOCKS];
const LAST: readonly string[] = [REMOVED_LINKS];

const PIECE_BYTES = 1024 * 1024;

export class BackupRepository {
  constructor(private readonly connection: Connection) {}

  /** In reading order. */
  async collections(): Promise<string[]> {
    const names = await readCollections(this.connection);
    const known = [...FIRST, ...LAST];
    return [
      ...FIRST.filter((name) => names.includes(name)),
      ...names.filter((name) => !known.includes(name)),
      ...LAST.filter((name) => names.includes(name)),
    ];
  }

  async metadata(name: string): Promise<Buffer> {
    const indexes = await this.connection.collection(name).listIndexes().toArray();
    const metadata = { indexes, collectionName: name, type: 'collection' };
    return Buffer.from(mongo.BSON.EJSON.stringify(metadata, { relaxed: false }));
  }

  /** BSON by ascending id, each earlier document exactly once; `counted` gets the number. */
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
