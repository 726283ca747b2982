import { Injectable } from '@nestjs/common';

/** Counts the requests that this web process has answered 429, by the row of the limits table. */
@Injectable()
export class LimitMeter {
  private readonly counts = new Map<string, number>();

  refused(row: string): void {
    this.counts.set(row, (this.counts.get(row) ?? 0) + 1);
  }

  /** Row → requests. */
  refusals(): Record<string, number> {
    return Object.fromEntries(this.counts);
  }
}
