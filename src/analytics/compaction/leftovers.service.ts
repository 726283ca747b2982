import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CompactionRepository } from './compaction.repository';

const HOUR_MS = 3_600_000;

/**
 * Deletes blocks that no ledger names: what a crash between two steps of compaction, or the
 * deletion of a link, leaves behind. Only blocks older than an hour, so none that is on its way.
 */
@Injectable()
export class LeftoversService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(LeftoversService.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly repository: CompactionRepository) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.sweep().catch((error: unknown) => this.logger.warn(`No sweep: ${String(error)}`));
    }, HOUR_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Deletes the leftovers of before `now` less an hour; answers how many there were. */
  async sweep(now = Date.now()): Promise<number> {
    let swept = 0;
    for await (const id of this.repository.leftovers(new Date(now - HOUR_MS))) {
      await this.repository.remove([id]);
      swept += 1;
    }
    if (swept > 0) this.logger.log(`${swept} blocks that nothing names were deleted`);
    return swept;
  }
}
