import { withTimeout } from '../../common/with-timeout';
import { type DiskSpace, reservedBytes } from '../../infrastructure/files/disk-space';

const MEGABYTE = 1024 * 1024;
/** Once the reserve was reached, this share of it has to be free beyond it before writing goes on. */
const SLACK_SHARE = 4;
/** Bytes that a process writes between two looks at the disk, an eighth of the spare ones at most. */
const MAX_ALLOWANCE_BYTES = 16 * MEGABYTE;
const ALLOWANCE_SHARE = 8;
const SPACE_CHECK_MS = 1000;
/** How soon a disk whose reserve is reached is looked at again. */
const LOW_SPACE_CHECK_MS = 200;
/** A file system that does not answer within this is taken for one that knows no sizes. */
const LOOK_TIMEOUT_MS = 5000;
const UNKNOWN_SPACE: DiskSpace = { size: 0, free: 0 };

/** The journal would grow into the reserve: what is left of the disk is the database's. */
export class JournalReserveError extends Error {
  readonly code = 'RESERVE';

  constructor() {
    super('What is left of the disk is kept for the database');
    this.name = 'JournalReserveError';
  }
}

/**
 * Bounds the waiting journal by a reserve of free space on its disk, which the database and the
 * recorder need to work the journal off. The disk is looked at beside the redirects, every second
 * while they write and whenever half of what one look allowed is used up; nobody waits for a look.
 */
export class JournalSpace {
  private allowance = MAX_ALLOWANCE_BYTES;
  private left = MAX_ALLOWANCE_BYTES;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking = false;
  private reserved = false;

  /**
   * @param look asks the disk; where it fails nothing is held back
   * @param looked called after each look
   */
  constructor(
    private readonly look: () => Promise<DiskSpace>,
    private readonly looked: () => void,
  ) {}

  /**
   * Whether more may be written now; false until the look under way says how much.
   * @throws JournalReserveError while only the reserve is left
   */
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
