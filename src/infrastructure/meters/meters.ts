import { Injectable } from '@nestjs/common';

/** Counts this web process's 429 responses by rate limit. */
@Injectable()
export class LimitMeter {
  private readonly counts = new Map<string, number>();

  refused(row: string): void {
    this.counts.set(row, (this.counts.get(row) ?? 0) + 1);
  }

  refusals(): Record<string, number> {
    return Object.fromEntries(this.counts);
  }
}
