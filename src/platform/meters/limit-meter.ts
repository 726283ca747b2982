import { Injectable } from '@nestjs/common';

/** Counts the requests that this web process has answered 429, by the row of the limits table. */
@Injectable()
export class LimitMeter {
  private readonly refusals = new Map<string, number>();

  refused(row: string): void {
    this.refusals.set(row, (this.refusals.get(row) ?? 0) + 1);
  }

  figures(): Record<string, number> {
    return Object.fromEntries(this.refusals);
  }
}
