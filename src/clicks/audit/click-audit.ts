import { setTimeout as sleep } from 'node:timers/promises';
import { countNoun } from '../../common/plain-text';
import type { ClickStoreRecord } from '../store/click-store.schema';
import type { StoredTotals } from '../../stores/links/link-updates';
import type { AuditRepository } from './audit.repository';
import type { ClicksElsewhere } from './clicks-elsewhere';
import { ChunkVersionError } from '../../engines/click-engine/chunk/engine.errors';
import {
  checkClickStore,
  type ClickStoreFindings,
  type Difference,
  differs,
} from './click-store-check';

/** Before a second check, a running service gets this long to finish updating a link. */
const AUDIT_SETTLE_MS = 2000;

export interface AuditOptions {
  repair: boolean;
  report: (difference: Difference, repaired: boolean) => void;
  settleMs?: number;
  /** Null if click stores contain all clicks. */
  elsewhere?: ClicksElsewhere | null;
}

export interface AuditResult {
  links: number;
  clicks: number;
  differences: number;
  repaired: number;
}

interface Finding {
  differences: Difference[];
  clicks: number;
  repair: () => Promise<boolean>;
}

/** Compares link counters, click stores, chunks and blocks, and repairs them on request. */
export class ClickAudit {
  private readonly result: AuditResult = { links: 0, clicks: 0, differences: 0, repaired: 0 };

  constructor(
    private readonly repository: AuditRepository,
    private readonly options: AuditOptions,
  ) {}

  async run(): Promise<AuditResult> {
    for await (const id of this.repository.linkIds()) {
      const clicks = await this.confirm(() => this.checkRecorded(id));
      await this.confirm(() => this.checkLink(id));
      this.result.links += 1;
      this.result.clicks += clicks;
    }
    for await (const { id, linkId } of this.repository.unnamedBlocks(Date.now())) {
      const what = `block ${id} belongs to no click store`;
      await this.conclude([{ linkId, what }], () => this.repository.removeBlock(id));
    }
    await this.checkElsewhere();
    return this.result;
  }

  private async checkElsewhere(): Promise<void> {
    const { elsewhere } = this.options;
    if (!elsewhere) return;
    for await (const { linkId, clicks } of elsewhere.others()) {
      // The click store may be new, or the link was deleted and its clicks will be deleted soon.
      if ((await this.repository.store(linkId)) !== null) continue;
      if (await this.repository.wasRemoved(linkId)) continue;
      const what = `clicks in ClickHouse without a click store: ${clicks}`;
      await this.conclude([{ linkId, what }], async () => {
        // Only clicks of deleted links may be removed.
        return (await this.repository.link(linkId)) === null && elsewhere.remove(linkId);
      });
    }
    await this.conclude(await elsewhere.doubled(), () => Promise.resolve(false));
  }

  private async confirm(check: () => Promise<Finding>): Promise<number> {
    let finding = await check();
    if (finding.differences.length > 0) {
      await sleep(this.options.settleMs ?? AUDIT_SETTLE_MS);
      finding = await check();
    }
    await this.conclude(finding.differences, finding.repair);
    return finding.clicks;
  }

  private async conclude(
    differences: readonly Difference[],
    repair: () => Promise<boolean>,
  ): Promise<void> {
    if (differences.length === 0) return;
    const repaired = this.options.repair && (await repair());
    for (const difference of differences) this.options.report(difference, repaired);
    this.result.differences += differences.length;
    if (repaired) this.result.repaired += differences.length;
  }

  private async checkRecorded(linkId: string): Promise<Finding> {
    const store = await this.repository.store(linkId);
    if (store === null) return { differences: [], clicks: 0, repair: () => Promise.resolve(true) };
    if ((await this.repository.link(linkId)) === null) {
      const what = `the link does not exist, its click store has ${countNoun(store.total, 'click')}`;
      return {
        differences: [{ linkId, what }],
        clicks: 0,
        repair: () => this.repository.removeClickStore(linkId),
      };
    }
    // Clicks recorded during a deletion are not in the totals yet.
    if (store.recount === true)
      return { differences: [], clicks: store.total, repair: () => Promise.resolve(true) };
    const findings = await this.check(store);
    if (findings instanceof ChunkVersionError) {
      const what = `cannot be checked: ${findings.message}`;
      return {
        differences: [{ linkId, what }],
        clicks: store.total,
        repair: () => Promise.resolve(false),
      };
    }
    return {
      differences: findings.differences,
      clicks: findings.counted.total,
      repair: () => this.repository.repairClickStore(store, findings),
    };
  }

  /** Stores with chunks from a later release are not damaged, so they are not changed. */
  private async check(store: ClickStoreRecord): Promise<ClickStoreFindings | ChunkVersionError> {
    try {
      const others = await this.options.elsewhere?.findTotals(store._id.toHexString(), store.since);
      return await checkClickStore(store, (ref) => this.repository.block(store, ref), others);
    } catch (error) {
      if (error instanceof ChunkVersionError) return error;
      throw error;
    }
  }

  private async checkLink(linkId: string): Promise<Finding> {
    const read = await this.repository.store(linkId);
    const link = await this.repository.link(linkId);
    // The clicks were deleted, but the click store has not been changed yet.
    const isDeleted = Number(link?.clicks_deleted_at ?? 0) > Number(read?.since ?? 0);
    const store = isDeleted ? null : read;
    return {
      differences: link === null ? [] : findDifferences(link, store),
      clicks: 0,
      repair: () =>
        link === null ? Promise.resolve(true) : this.repository.repairLink(link, store),
    };
  }
}

function findDifferences(link: StoredTotals, store: ClickStoreRecord | null): Difference[] {
  const linkId = link._id.toHexString();
  const pairs = [
    ['total_clicks', link.total_clicks, store?.total ?? 0],
    ['open_clicks', link.open_clicks, store?.open ?? 0],
    ['last_click', link.last_click, store?.last ?? null],
  ] as const;
  return pairs
    .filter(([, stored, counted]) => milliseconds(stored) !== milliseconds(counted))
    .map(([field, stored, counted]) => differs(linkId, `link ${field}`, stored, counted));
}

function milliseconds(value: Date | number | null): number | null {
  return value instanceof Date ? value.getTime() : value;
}
