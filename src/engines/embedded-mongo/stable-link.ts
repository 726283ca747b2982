import { readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';

/** Temporary-file cleaners remove what is older than days; an hour is well below that. */
const LINK_REFRESH_MS = 3_600_000;

/**
 * A path that stays the same while what it points to changes: clients keep one address and find
 * the socket of the engine process that runs now.
 */
export class StableLink {
  private readonly refreshing: NodeJS.Timeout;

  constructor(
    private readonly path: string,
    private readonly target: string,
  ) {
    this.point();
    this.refreshing = setInterval(() => this.point(), LINK_REFRESH_MS).unref();
  }

  /** Removes the link unless a successor has already pointed it elsewhere. */
  remove(): void {
    clearInterval(this.refreshing);
    if (this.current() === this.target) rmSync(this.path);
  }

  private current(): string | null {
    try {
      return readlinkSync(this.path);
    } catch {
      return null;
    }
  }

  /** Replaces the link in one step, so that it never misses. */
  private point(): void {
    const draft = `${this.path}.${process.pid}`;
    rmSync(draft, { force: true });
    symlinkSync(this.target, draft);
    renameSync(draft, this.path);
  }
}
