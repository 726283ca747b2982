import { SMALL_BODY } from '../../common/http/taken-body';
import { BodiesBusyError } from './request-bodies.errors';

/** Maximum bytes of request bodies, which take several times as much memory once parsed. */
const TOTAL = 8 * 1024 * 1024;

export interface BodyShares {
  readonly total: number;
  /** Maximum bytes per client, which allow a single body of maximum size. */
  readonly client: number;
  readonly large: number;
}

const SHARES: BodyShares = { total: TOTAL, client: TOTAL / 5, large: (TOTAL * 3) / 4 };

/** Limits the bytes of request bodies in this process, in total and per client. */
export class BodyBudget {
  private held = 0;
  private large = 0;
  private readonly byClient = new Map<string, number>();

  constructor(private readonly shares = SHARES) {}

  open(client: string): BodyRoom {
    return new BodyRoom((before, after) => this.change(client, before, after));
  }

  /** Replaces `before` bytes with `after`; if that exceeds the limit, only returns false. */
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

export class BodyRoom {
  private bytes = 0;

  constructor(private readonly change: (before: number, after: number) => boolean) {}

  /** @throws BodiesBusyError if the budget does not allow these bytes */
  grow(bytes: number): void {
    if (!this.change(this.bytes, bytes)) throw new BodiesBusyError();
    this.bytes = bytes;
  }

  release(): void {
    this.change(this.bytes, 0);
    this.bytes = 0;
  }
}
