import { CurtailError, type LogLevelOfError } from '../../common/errors';
import { SMALL_BODY } from '../../common/http/taken-body';

/** Bytes of bodies under way in a process, which in memory cost several times as much. */
const TOTAL = 8 * 1024 * 1024;

export interface BodyShares {
  readonly total: number;
  /** Bytes of one client; a body of the largest size fits in. */
  readonly client: number;
  /** Bytes of all bodies that are not small. */
  readonly large: number;
}

const SHARES: BodyShares = { total: TOTAL, client: TOTAL / 5, large: (TOTAL * 3) / 4 };

const BODY_RETRY_SECONDS = 1;

/** 503: the bodies under way leave no room for this one. */
export class BodiesBusyError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Too much is being sent at once, try again shortly', {
      // Nobody reads what is still to come.
      headers: { 'Retry-After': String(BODY_RETRY_SECONDS), Connection: 'close' },
    });
  }

  /** A flood must not fill the log as well. */
  override get logLevel(): LogLevelOfError {
    return 'debug';
  }
}

/** Bounds the bytes of request bodies that this process holds, for all clients and for each. */
export class BodyBudget {
  private held = 0;
  private large = 0;
  private readonly byClient = new Map<string, number>();

  constructor(private readonly shares = SHARES) {}

  /** Room for one body, of no bytes yet. */
  open(client: string): BodyRoom {
    return new BodyRoom((before, after) => this.change(client, before, after));
  }

  /** Makes a room of `before` bytes one of `after`; false, with nothing changed, where that is too much. */
  private change(client: string, before: number, after: number): boolean {
    const held = this.held - before + after;
    const large = this.large - largePart(before) + largePart(after);
    const own = (this.byClient.get(client) ?? 0) - before + after;
    const { shares } = this;
    const fits = held <= shares.total && own <= shares.client && large <= shares.large;
    if (after > before && !fits) return false;
    this.held = held;
    this.large = large;
    if (own === 0) this.byClient.delete(client);
    else this.byClient.set(client, own);
    return true;
  }
}

function largePart(bytes: number): number {
  return bytes > SMALL_BODY ? bytes : 0;
}

/** The bytes that one body may occupy. */
export class BodyRoom {
  private bytes = 0;

  constructor(private readonly change: (before: number, after: number) => boolean) {}

  /** @throws BodiesBusyError where there is no room for so many bytes */
  grow(bytes: number): void {
    if (!this.change(this.bytes, bytes)) throw new BodiesBusyError();
    this.bytes = bytes;
  }

  release(): void {
    this.change(this.bytes, 0);
    this.bytes = 0;
  }
}
