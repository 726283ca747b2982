import { readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';

/** Well below the age, in days, at which cleaners delete temporary files. */
const LINK_REFRESH_MS = 3_600_000;

/** A stable path for clients, linked to the socket of the current engine process. */
export class StableLink {
  private readonly refreshing: NodeJS.Timeout;

  constructor(
    private readonly path: string,
    private readonly target: string,
  ) {
    this.point();
    this.refreshing = setInterval(() => this.point(), LINK_REFRESH_MS).unref();
  }

  /** Keeps the link if a successor has replaced it. */
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
