import { Injectable } from '@nestjs/common';

/** Counts the 429 responses of this web process by rate limit. */
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
