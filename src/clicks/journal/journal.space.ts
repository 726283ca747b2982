import { withTimeout } from '../../common/with-timeout';
import { type DiskSpace, reservedBytes } from '../../infrastructure/files/disk-space';
import { JournalReserveError } from '../clicks.errors';

const MEGABYTE = 1024 * 1024;
/** After a stop, writing resumes once free space exceeds the reserve by a quarter. */
const SLACK_SHARE = 4;
/** Maximum bytes written between two checks; at most an eighth of the space above the reserve. */
const MAX_ALLOWANCE_BYTES = 16 * MEGABYTE;
const ALLOWANCE_SHARE = 8;
const SPACE_CHECK_MS = 1000;
/** Check interval while only the reserve is free. */
const LOW_SPACE_CHECK_MS = 200;
/** If the file system does not respond within this time, its free space is unknown. */
const LOOK_TIMEOUT_MS = 5000;
const UNKNOWN_SPACE: DiskSpace = { size: 0, free: 0 };

/**
 * Reserves free disk space for the database and the recorder, which need it to process the
 * journal. Space is checked asynchronously and never delays a redirect.
 */
export class JournalSpace {
  private allowance = MAX_ALLOWANCE_BYTES;
  private left = MAX_ALLOWANCE_BYTES;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking = false;
  private reserved = false;

  /** @param look reads the free disk space; if it fails, there is no limit */
  constructor(
    private readonly look: () => Promise<DiskSpace>,
    private readonly looked: () => void,
  ) {}

  /** False while a check is pending. @throws JournalReserveError if only the reserve is free */
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
