import { ClickCare } from '../../click-house/click-care';
import type { ClickTable } from '../../click-house/click-table';
import { ClickWriter } from '../../click-house/click-writer';
import { StoredRows } from '../../click-house/stored-rows';
import { type ClickHome, ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { MovedClicksRepository, MOVING_NODE } from '../../clicks/store/moved-clicks.repository';

/** How often progress is told, at most. */
const TELL_MS = 2000;

/** Moves the clicks of a database whose services are stopped. */
export class ClickMove {
  private toldAt = 0;

  constructor(
    private readonly home: ClickHomeRepository,
    private readonly stores: MovedClicksRepository,
    private readonly table: ClickTable,
    private readonly tell: (line: string) => void,
  ) {}

  /** Returns how many clicks are there now. A move that was broken off goes on. */
  async to(home: ClickHome): Promise<number> {
    await this.table.ensure();
    return home === 'clickhouse' ? this.toClickHouse() : this.toMongo();
  }

  private async toClickHouse(): Promise<number> {
    const now = await this.home.find();
    if (now !== 'clickhouse') {
      if (now === 'mongodb' && !(await new StoredRows(this.table).isEmpty())) {
        throw new Error('The database in ClickHouse has clicks already: name an empty one');
      }
      await this.home.move('moving');
      const writer = new ClickWriter(this.table);
      let [number, clicks] = [0, 0];
      for await (const links of this.stores.groups()) {
        number += 1;
        await writer.record({ node: MOVING_NODE, number, links });
        for (const { chunks } of links) for (const { n } of chunks) clicks += n;
        this.progress(`${clicks} clicks`);
      }
      await writer.close();
      await this.compare();
      await this.home.move('clickhouse');
    }
    const clicks = await this.compare();
    // Last, so that until then nothing is lost whatever happens.
    await this.stores.clear();
    return clicks;
  }

  private async toMongo(): Promise<number> {
    if ((await this.home.find()) !== 'clickhouse') {
      throw new Error('The clicks of this database are not in ClickHouse');
    }
    await this.compare();
    const rows = new StoredRows(this.table);
    let clicks = 0;
    for await (const { linkId, total } of this.stores.totals()) {
      const restored = await this.stores.restore(linkId, rows.clicksOf(linkId));
      if (restored !== total) throw differing(linkId, total, restored);
      clicks += restored;
      this.progress(`${clicks} clicks`);
    }
    await this.home.move('mongodb');
    return clicks;
  }

  /** Returns the clicks of all links, which both databases agree on. */
  private async compare(): Promise<number> {
    const care = new ClickCare(this.table);
    const stored = await care.totalsByLink();
    let clicks = 0;
    for await (const { linkId, total } of this.stores.totals()) {
      const { n } = stored.get(linkId) ?? { n: 0 };
      if (n !== total) throw differing(linkId, total, n);
      clicks += n;
    }
    const doubled = await care.doubledRows();
    if (doubled.size > 0) throw new Error(`${doubled.size} links have clicks more than once`);
    return clicks;
  }

  private progress(line: string): void {
    if (performance.now() - this.toldAt < TELL_MS) return;
    this.toldAt = performance.now();
    this.tell(line);
  }
}

function differing(linkId: string, total: number, found: number): Error {
  return new Error(
    `Link ${linkId} has ${total} clicks, and ${found} were found: run curtail verify, and stop ` +
      'every service while clicks are moved',
  );
}
