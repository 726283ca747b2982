import { readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';

/** Refresh interval, much shorter than the days after which cleaners delete temporary files. */
const LINK_REFRESH_MS = 3_600_000;

/** A symbolic link with a stable path to the current engine's socket. */
export class StableLink {
  private readonly refreshing: NodeJS.Timeout;

  constructor(
    private readonly path: string,
    private readonly target: string,
  ) {
    this.point();
    this.refreshing = setInterval(() => this.point(), LINK_REFRESH_MS).unref();
  }

  /** Does nothing if a later engine process has replaced the link. */
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

  /** Replaces the link atomically. */
  private point(): void {
    const draft = `${this.path}.${process.pid}`;
    rmSync(draft, { force: true });
    symlinkSync(this.target, draft);
    renameSync(draft, this.path);
  }
}
