import mongoose from 'mongoose';
import { CompactionRepository } from '../../src/clicks/compaction/compaction.repository';
import { CompactionService } from '../../src/clicks/compaction/compaction.service';
import type { Click } from '../../src/clicks/store/click';
import { ClickStore } from '../../src/clicks/store/click-store';
import { clickBatchEntry } from '../../src/clicks/store/click-batch';
import { ClickStoreRepository } from '../../src/clicks/store/click-store.repository';
import { LinksRepository } from '../../src/links/links.repository';
import type { ClickSource } from './clicks';
import type { Tape } from './tape';

export interface BenchLink {
  id: string;
  alias: string;
}

const GRACE_MS = 1000;

/** Stores clicks as the recorder does: batches into stores, compaction after each batch. */
export class Recording {
  private readonly store: ClickStore;
  private readonly compactor: CompactionService;
  private batches = Date.now();

  constructor(private readonly connection: mongoose.Connection) {
    const stores = new ClickStoreRepository(connection);
    this.store = new ClickStore(stores, new LinksRepository(connection));
    this.compactor = new CompactionService(new CompactionRepository(connection), console, GRACE_MS);
  }

  /** Spreads the clicks evenly over the links, `perBatch` clicks at a time. */
  async record(source: ClickSource, links: BenchLink[], perBatch: number, tape: Tape) {
    for (let from = 0; from < source.clicks; from += perBatch) {
      const groups = new Map<BenchLink, Click[]>();
      const end = Math.min(source.clicks, from + perBatch);
      for (let n = from; n < end; n += 1) {
        const link = links[n % links.length];
        if (link === undefined) throw new RangeError('No links');
        const click = source.next(n);
        tape.add(click, link.alias);
        const group = groups.get(link);
        if (group === undefined) groups.set(link, [click]);
        else group.push(click);
      }
      const entries = [...groups].map(([{ id }, clicks]) => clickBatchEntry(id, clicks));
      this.batches += 1;
      await this.store.record({ node: 'be0c0001', number: this.batches, entries });
      await this.compactor.afterBatch(entries.map(({ linkId }) => linkId));
    }
  }

  /** Bytes of everything that stores name, by click. */
  async bytesPerClick(): Promise<number> {
    const [sum] = await this.connection
      .collection('ledgers')
      .aggregate<{ bytes: number; clicks: number }>([
        {
          $group: {
            _id: null,
            bytes: { $sum: { $add: ['$tail_bytes', { $sum: '$blocks.bytes' }] } },
            clicks: { $sum: '$total' },
          },
        },
      ])
      .toArray();
    return sum === undefined ? NaN : sum.bytes / sum.clicks;
  }
}
