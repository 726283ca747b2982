import { Injectable } from '@nestjs/common';

/** Counts 429 responses of this web process by row of the limits table. */
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
