import type { mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickStoreRecord } from '../store/click-store.schema';
import type { AuditRepository, LinkTotals } from './audit.repository';
import { type Difference, differs } from './click-store-check';
import { checkClickStore } from './click-store-check';

/** A running service may be between a ledger and its link, or swap blocks while they are read. */
const SETTLE_MS = 2000;

export interface AuditOptions {
  repair: boolean;
  /** Hears of each difference, and whether it was mended. */
  report: (difference: Difference, mended: boolean) => void;
  settleMs?: number;
}

export interface AuditResult {
  links: number;
  clicks: number;
  differences: number;
  mended: number;
}

interface Finding {
  differences: Difference[];
  clicks: number;
  mend: () => Promise<boolean>;
}

/** Compares link counters, ledgers, chunks and blocks, and mends them if wished. */
export class ClickAudit {
  private readonly result: AuditResult = { links: 0, clicks: 0, differences: 0, mended: 0 };

  constructor(
    private readonly repository: AuditRepository,
    private readonly options: AuditOptions,
  ) {}

  async run(): Promise<AuditResult> {
    for await (const id of this.repository.linkIds()) {
      const clicks = await this.settled(() => this.checkRecorded(id));
      await this.settled(() => this.checkLink(id));
      this.result.links += 1;
      this.result.clicks += clicks;
    }
    for await (const { _id, link } of this.repository.unnamedBlocks(Date.now())) {
      const what = `block ${_id.toHexString()} is named by no ledger`;
      const difference = { linkId: link.toHexString(), what };
      await this.settle([difference], () => this.repository.removeBlock(_id));
    }
    return this.result;
  }

  /** A difference counts when it is still there after a while. */
  private async settled(check: () => Promise<Finding>): Promise<number> {
    let finding = await check();
    if (finding.differences.length > 0) {
      await sleep(this.options.settleMs ?? SETTLE_MS);
      finding = await check();
    }
    await this.settle(finding.differences, finding.mend);
    return finding.clicks;
  }

  private async settle(
    differences: readonly Difference[],
    mend: () => Promise<boolean>,
  ): Promise<void> {
    if (differences.length === 0) return;
    const mended = this.options.repair && (await mend());
    for (const difference of differences) this.options.report(difference, mended);
    this.result.differences += differences.length;
    if (mended) this.result.mended += differences.length;
  }

  private async checkRecorded(id: mongo.ObjectId): Promise<Finding> {
    const ledger = await this.repository.ledger(id);
    if (ledger === null) return { differences: [], clicks: 0, mend: () => Promise.resolve(true) };
    if ((await this.repository.link(id)) === null) {
      const what = `a ledger of ${ledger.total} clicks belongs to no link`;
      return {
        differences: [{ linkId: id.toHexString(), what }],
        clicks: 0,
        mend: () => this.repository.removeLedger(id),
      };
    }
    const findings = await checkClickStore(ledger, (ref) => this.repository.block(id, ref));
    return {
      differences: findings.differences,
      clicks: findings.truth.total,
      mend: () => this.repository.mendLedger(ledger, findings),
    };
  }

  private async checkLink(id: mongo.ObjectId): Promise<Finding> {
    const ledger = await this.repository.ledger(id);
    const link = await this.repository.link(id);
    return {
      differences: link === null ? [] : compare(link, ledger),
      clicks: 0,
      mend: () => (link === null ? Promise.resolve(true) : this.repository.mendLink(link, ledger)),
    };
  }
}

function compare(link: LinkTotals, ledger: ClickStoreRecord | null): Difference[] {
  const linkId = link._id.toHexString();
  const pairs = [
    ['total_clicks', link.total_clicks, ledger?.total ?? 0],
    ['open_clicks', link.open_clicks, ledger?.open ?? 0],
    ['last_click', link.last_click, ledger?.last ?? null],
  ] as const;
  return pairs
    .filter(([, stored, counted]) => valueOf(stored) !== valueOf(counted))
    .map(([field, stored, counted]) => differs(linkId, `link ${field}`, stored, counted));
}

function valueOf(value: Date | number | null): number | null {
  return value instanceof Date ? value.getTime() : value;
}
