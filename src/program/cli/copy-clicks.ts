import { randomInt } from 'node:crypto';
import { ClickCare } from '../../engines/click-house/click-care';
import type { ClickTable } from '../../engines/click-house/click-table';
import { ClickWriter } from '../../engines/click-house/click-writer';
import { ROWS_PER_READ, StoredRows } from '../../engines/click-house/stored-rows';
import { type ClickHome, ClicksElsewhereError } from '../../clicks/store/click-home.errors';
import { ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { MovedClicksRepository, MOVING_NODE } from '../../clicks/store/moved-clicks.repository';
import { countNoun } from '../../common/plain-text';
import type { StoredTotal } from './same-answers';

const LINKS_PER_READ = 500;
const SAMPLED = 50;

export interface MovedClicks {
  readonly clicks: number;
  /** Number of queries with equal results in both databases. */
  readonly questions: number;
}

export interface ClickMoveOptions {
  readonly tell: (line: string) => void;
  /** Compares query results for these links; returns the number of equal results. */
  readonly compare: (links: readonly StoredTotal[]) => Promise<number>;
}

/** Moves a database's clicks while recording is stopped. */
export class ClickMove {
  private readonly sample: StoredTotal[] = [];

  constructor(
    private readonly home: ClickHomeRepository,
    private readonly stores: MovedClicksRepository,
    private readonly table: ClickTable,
    private readonly options: ClickMoveOptions,
  ) {}

  /** Starts or resumes a move. Returns null if the clicks are already in MongoDB. */
  async to(home: ClickHome): Promise<MovedClicks | null> {
    await this.table.ensure();
    return home === 'clickhouse' ? this.toClickHouse() : this.toMongo();
  }

  private async toClickHouse(): Promise<MovedClicks> {
    const now = await this.home.find();
    if (now !== 'clickhouse') {
      if (now === 'mongodb' && !(await new StoredRows(this.table).isEmpty())) {
        throw new Error('The ClickHouse database already has clicks: use an empty one');
      }
      await this.home.move('moving');
      const writer = new ClickWriter(this.table);
      let [number, clicks] = [0, 0];
      for await (const links of this.stores.groups()) {
        number += 1;
        await writer.record({ node: MOVING_NODE, number, links });
        for (const { chunks } of links) for (const { n } of chunks) clicks += n;
        this.options.tell(countNoun(clicks, 'click'));
      }
      await writer.close();
      await this.compare();
      await this.home.move('clickhouse');
    }
    const clicks = await this.compare();
    const uncleared = await this.stores.linksWithClicks(this.sample.map(({ linkId }) => linkId));
    const questions = await this.options.compare(
      this.sample.filter(({ linkId }) => uncleared.has(linkId)),
    );
    // Deletes the clicks at the source last, so that a failure loses no clicks.
    await this.stores.clear();
    return { clicks, questions };
  }

  private async toMongo(): Promise<MovedClicks | null> {
    const now = await this.home.find();
    if (now === 'mongodb') return null;
    if (now === 'moving') throw new ClicksElsewhereError(now);
    await this.compare();
    const rows = new StoredRows(this.table);
    let clicks = 0;
    for await (const group of groupLinks(this.stores.totals())) {
      await this.restore(rows, group);
      clicks += group.reduce((sum, { total }) => sum + total, 0);
      this.options.tell(countNoun(clicks, 'click'));
    }
    const questions = await this.options.compare(this.sample);
    await this.home.move('mongodb');
    return { clicks, questions };
  }

  private async restore(rows: StoredRows, group: readonly StoredTotal[]): Promise<void> {
    const ids = group.map(({ linkId }) => linkId);
    const deleted = new Map(
      group.flatMap(({ linkId, since }) => (since === undefined ? [] : [[linkId, since]])),
    );
    const clicks = group.length === 1 ? null : await rows.clicksByLink(ids, deleted);
    const restoreLink = async ({ linkId, total }: StoredTotal): Promise<void> => {
      const source = clicks === null ? rows.clicksOf(linkId, deleted) : [clicks.get(linkId) ?? []];
      const restored = await this.stores.restore(linkId, source);
      if (restored !== total) throw differing(linkId, total, restored);
    };
    await Promise.all(group.map(restoreLink));
  }

  /** Compares every link's click count in both databases; returns the total. */
  private async compare(): Promise<number> {
    const care = new ClickCare(this.table);
    const stored = await care.totalsByLink(undefined, await this.stores.boundaries());
    let [clicks, links] = [0, 0];
    for await (const link of this.stores.totals()) {
      const { linkId, total } = link;
      links += 1;
      // Reservoir sampling selects each link with equal probability.
      const place = links <= SAMPLED ? links - 1 : randomInt(links);
      if (place < SAMPLED) this.sample[place] = link;
      const { n } = stored.get(linkId) ?? { n: 0 };
      if (n !== total) throw differing(linkId, total, n);
      clicks += n;
    }
    const doubled = await care.doubledRows();
    if (doubled.size > 0) throw new Error(`Links with duplicate clicks: ${doubled.size}`);
    return clicks;
  }
}

/** Groups links to be read together; a link with more clicks than one read forms a group. */
export async function* groupLinks(
  links: AsyncIterable<StoredTotal>,
): AsyncGenerator<StoredTotal[]> {
  let group: StoredTotal[] = [];
  let clicks = 0;
  for await (const link of links) {
    const isFull = clicks + link.total > ROWS_PER_READ || group.length === LINKS_PER_READ;
    if (isFull && group.length > 0) {
      yield group;
      [group, clicks] = [[], 0];
    }
    group.push(link);
    clicks += link.total;
  }
  if (group.length > 0) yield group;
}

function differing(linkId: string, total: number, found: number): Error {
  return new Error(
    `Link ${linkId} should have ${countNoun(total, 'click')}, but ${found} were found: run curtail verify, and stop all ` +
      'other services while clicks are moved. If links were deleted after an interrupted copy, ' +
      'drop the ClickHouse database and run the command again',
  );
}
