import { withTimeout } from '../../common/with-timeout';
import { type DiskSpace, reservedBytes } from '../../infrastructure/files/disk-space';
import { JournalReserveError } from '../clicks.errors';

const MEGABYTE = 1024 * 1024;
/** Once the reserve is reached, writing resumes when this share of it is free in addition. */
const SLACK_SHARE = 4;
/** Bytes writable between two checks, at most an eighth of the spare space. */
const MAX_ALLOWANCE_BYTES = 16 * MEGABYTE;
const ALLOWANCE_SHARE = 8;
const SPACE_CHECK_MS = 1000;
/** Check interval while the reserve is reached. */
const LOW_SPACE_CHECK_MS = 200;
/** A file system that does not respond within this is treated as having unknown size. */
const LOOK_TIMEOUT_MS = 5000;
const UNKNOWN_SPACE: DiskSpace = { size: 0, free: 0 };

/**
 * Keeps a reserve of free disk space, which the database and the recorder need to process the
 * journal. Checks run asynchronously; no redirect waits for one.
 */
export class JournalSpace {
  private allowance = MAX_ALLOWANCE_BYTES;
  private left = MAX_ALLOWANCE_BYTES;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking = false;
  private reserved = false;

  /** @param look reads the disk's free space; no limit applies if it fails */
  constructor(
    private readonly look: () => Promise<DiskSpace>,
    private readonly looked: () => void,
  ) {}

  /** False while a check is pending. @throws JournalReserveError if only the reserve remains */
  allows(): boolean {
    this.lookWhenDue();
    if (this.reserved) throw new JournalReserveError();
    return this.left > 0;
  }

  spend(bytes: number): void {
    this.left -= bytes;
  }

  private lookWhenDue(): void {
    if (this.looking) return;
    const age = performance.now() - this.lookedAt;
    const due = this.reserved
      ? age > LOW_SPACE_CHECK_MS
      : age > SPACE_CHECK_MS || this.left < this.allowance / 2;
    if (!due) return;
    this.looking = true;
    void withTimeout(this.look(), LOOK_TIMEOUT_MS, () => UNKNOWN_SPACE)
      .catch(() => UNKNOWN_SPACE)
      .then((space) => this.judge(space));
  }

  private judge({ size, free }: DiskSpace): void {
    this.looking = false;
    this.lookedAt = performance.now();
    const reserve = reservedBytes({ size });
    const spare = size === 0 ? Number.POSITIVE_INFINITY : free - reserve;
    this.reserved = this.reserved ? spare < reserve / SLACK_SHARE : spare <= 0;
    this.allowance = Math.min(Math.max(spare, 0) / ALLOWANCE_SHARE, MAX_ALLOWANCE_BYTES);
    this.left = this.allowance;
    this.looked();
  }
}
