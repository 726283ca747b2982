import mongoose from 'mongoose';
import { encodeColumns } from '../../src/engines/click-engine/chunk/chunk';
import type { ClickSource } from './clicks';

export interface BenchLink {
  id: string;
  alias: string;
  tags: readonly string[];
}

/** Number of clicks in a full block (src/clicks/compaction). */
const BLOCK = 250_000;
const BATCH_BYTES = 8 * 1024 * 1024;
const STORES_AT_ONCE = 1000;

interface Ref {
  id: mongoose.Types.ObjectId;
  n: number;
  from: Date;
  to: Date;
  bytes: number;
}

/** Stores clicks as they are after complete compaction: full blocks, ascending by time. */
export class Recording {
  bytes = 0;
  private waiting: object[] = [];
  private stores: mongoose.mongo.OptionalId<mongoose.mongo.Document>[] = [];
  private waitingBytes = 0;

  constructor(private readonly connection: mongoose.Connection) {}

  async record(source: ClickSource, links: readonly BenchLink[]): Promise<void> {
    const { count, link: of } = source.clicks;
    const places = new Uint32Array(links.length + 1);
    for (let n = 0; n < count; n += 1)
      places[(of[n] ?? 0) + 1] = (places[(of[n] ?? 0) + 1] ?? 0) + 1;
    for (let i = 1; i < places.length; i += 1) places[i] = (places[i] ?? 0) + (places[i - 1] ?? 0);
    const next = places.slice();
    const rows = new Uint32Array(count);
    for (let n = 0; n < count; n += 1) {
      const place = next[of[n] ?? 0] ?? 0;
      rows[place] = n;
      next[of[n] ?? 0] = place + 1;
    }
    for (const [i, { id }] of links.entries()) {
      const own = rows.subarray(places[i], places[i + 1]);
      if (own.length > 0) await this.recordLink(source, new mongoose.Types.ObjectId(id), own);
    }
    await this.flush();
  }

  private async recordLink(
    source: ClickSource,
    link: mongoose.Types.ObjectId,
    rows: Uint32Array,
  ): Promise<void> {
    const blocks: Ref[] = [];
    for (let from = 0; from < rows.length; from += BLOCK) {
      const columns = source.chunkOf(rows.subarray(from, from + BLOCK));
      const data = encodeColumns(columns);
      const id = new mongoose.Types.ObjectId();
      const span = { n: columns.n, from: new Date(columns.from), to: new Date(columns.to) };
      blocks.push({ id, ...span, bytes: data.length });
      this.bytes += data.length;
      this.waiting.push({ _id: id, link, ...span, data: new mongoose.mongo.Binary(data) });
      this.waitingBytes += data.length;
      if (this.waitingBytes > BATCH_BYTES) await this.flush();
    }
    const times = blocks.flatMap(({ from, to }) => [Number(from), Number(to)]);
    this.stores.push({
      _id: link,
      ...{ total: rows.length, open: rows.length },
      first: new Date(Math.min(...times)),
      last: new Date(Math.max(...times)),
      ...{ tail: [], tail_n: 0, tail_bytes: 0, blocks, rev: 1, marks: {} },
    });
    if (this.stores.length >= STORES_AT_ONCE) await this.flush();
  }

  private async flush(): Promise<void> {
    const blocks = this.waiting.splice(0);
    this.waitingBytes = 0;
    if (blocks.length > 0) await this.connection.collection('click_blocks').insertMany(blocks);
    const stores = this.stores.splice(0);
    if (stores.length > 0) await this.connection.collection('ledgers').insertMany(stores);
  }
}
