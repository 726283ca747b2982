import type { Logger } from '../../core/log';
import type { CompactionRepository } from './compaction.repository';

const HOUR_MS = 3_600_000;

/**
 * Deletes blocks that no ledger names: what a crash between two steps of compaction leaves
 * behind. Only blocks that are older than an hour and were unnamed an hour ago as well, since a
 * batch that is repeated late names its blocks late.
 */
export class OrphanedBlocks {
  private sweptAt = Date.now();
  private unnamed: ReadonlySet<string> = new Set();

  constructor(
    private readonly repository: CompactionRepository,
    private readonly log: Logger,
  ) {}

  async sweepHourly(now = Date.now()): Promise<void> {
    if (now - this.sweptAt >= HOUR_MS) await this.sweep(now);
  }

  /** One round; answers how many blocks were deleted. */
  async sweep(now: number): Promise<number> {
    this.sweptAt = now;
    const unnamed = await this.repository.leftovers(new Date(now - HOUR_MS));
    const lasting = [...unnamed].filter((id) => this.unnamed.has(id));
    this.unnamed = unnamed;
    if (lasting.length > 0) {
      await this.repository.remove(lasting);
      this.log.info('Blocks that no ledger names were deleted', { count: lasting.length });
    }
    return lasting.length;
  }
}
