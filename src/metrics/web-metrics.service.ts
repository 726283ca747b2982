import { Injectable } from '@nestjs/common';
import { LinkCache } from '../links/link-cache';
import { JournalWriter } from '../clicks/journal/journal.writer';
import { DatabaseMeter } from '../infrastructure/meters/meters';
import { LimitMeter } from '../infrastructure/meters/meters';
import { RedirectMeter } from '../infrastructure/meters/redirect-meter';
import { PrimaryClient } from '../runtime/ipc/primary-client';
import type { MachineMetrics, WebMetrics } from './metrics';

const PRIMARY_MS = 5000;

/** Reads the meters of this web process, and has the primary add those of the others. */
@Injectable()
export class WebMetricsService {
  constructor(
    private readonly primary: PrimaryClient,
    private readonly redirects: RedirectMeter,
    private readonly limits: LimitMeter,
    private readonly database: DatabaseMeter,
    private readonly directory: LinkCache,
    private readonly journal: JournalWriter,
  ) {
    primary.handlers.handle('metrics.web', () => this.own());
  }

  async machine(): Promise<MachineMetrics> {
    return this.primary.call('metrics.machine', this.own(), PRIMARY_MS);
  }

  private own(): WebMetrics {
    return {
      counters: {
        redirects: { ...this.redirects.outcomes },
        redirectDurations: this.redirects.durations.figures(),
        cacheHits: this.directory.hits,
        cacheMisses: this.directory.misses,
        limited: this.limits.figures(),
        databaseDurations: this.database.durations.figures(),
        databaseFailures: this.database.failures,
        clicksLost: this.journal.lost,
      },
      residentBytes: process.memoryUsage.rss(),
      backlogBytes: this.journal.pendingBytes,
    };
  }
}
