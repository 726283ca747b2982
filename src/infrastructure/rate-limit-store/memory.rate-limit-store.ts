import { WindowRule, WindowState, RateLimitStore, WindowVerdict } from './rate-limit-store';
import { type OpenWindow, type WindowSlot, WindowTable } from './window-table';

/** Windows held at most: 25 MB for clients, 6 MB for all else. */
export interface WindowCapacity {
  /** Windows of client addresses, of which somebody with an IPv6 network has any number. */
  readonly clients: number;
  /** Windows of accounts, keys and mailboxes: an invented one costs whoever invents it. */
  readonly others: number;
}

const CAPACITY: WindowCapacity = { clients: 2 ** 20, others: 2 ** 18 };

/**
 * Windows in this process, in two tables of fixed size: however many addresses somebody has, what
 * is counted by account is not pushed out by them.
 */
export class MemoryRateLimitStore extends RateLimitStore {
  private readonly clients: WindowTable;
  private readonly others: WindowTable;

  constructor(
    private readonly now: () => number = Date.now,
    capacity: WindowCapacity = CAPACITY,
  ) {
    super();
    this.clients = new WindowTable(capacity.clients);
    this.others = new WindowTable(capacity.others);
  }

  takeFromWindows(key: string, rules: readonly WindowRule[], cost = 1): Promise<WindowVerdict> {
    return Promise.resolve(this.judge(key, rules, cost));
  }

  judge(key: string, rules: readonly WindowRule[], cost = 1): WindowVerdict {
    const now = this.now();
    const table = this.chooseTable(key);
    const found = rules.map((rule) =>
      openWindow(table, table.placeFromKey(counterKey(key, rule)), rule, now),
    );
    const allowed = found.every(({ window, rule }) => window.count + cost <= rule.limit);
    const windows = found.map(({ place, rule, window }): WindowState => {
      const counted = allowed ? { ...window, count: window.count + cost } : window;
      if (allowed) table.write(place, counted, rule.limit, now);
      return { limit: rule.limit, ...counted };
    });
    return { allowed, windows, cost, now };
  }

  giveBack(key: string, rules: readonly WindowRule[], verdict: WindowVerdict): Promise<void> {
    this.uncount(key, rules, verdict);
    return Promise.resolve();
  }

  uncount(key: string, rules: readonly WindowRule[], { windows, cost }: WindowVerdict): void {
    const now = this.now();
    const table = this.chooseTable(key);
    rules.forEach((rule, i) => {
      const place = table.placeFromKey(counterKey(key, rule));
      const window = table.read(place);
      // Another window than the one in which it was counted has nothing to give back.
      if (window === null || window.count === 0 || window.endsAt !== windows[i]?.endsAt) return;
      const count = Math.max(0, window.count - cost);
      // A window opens with the first counted request: without any there is none.
      table.write(place, { count, endsAt: count === 0 ? 0 : window.endsAt }, rule.limit, now);
    });
  }

  /** Number of open windows, for tests. */
  get size(): number {
    return this.clients.open(this.now()) + this.others.open(this.now());
  }

  /** Bytes of memory that the windows take, full or empty. */
  get bytes(): number {
    return this.clients.bytes + this.others.bytes;
  }

  private chooseTable(key: string): WindowTable {
    return key.includes('|ip:') ? this.clients : this.others;
  }
}

function counterKey(key: string, { ms, part = '' }: WindowRule): string {
  return `${ms}|${key}|${part}`;
}

interface RuleWindow {
  readonly place: WindowSlot;
  readonly rule: WindowRule;
  readonly window: OpenWindow;
}

function openWindow(
  table: WindowTable,
  place: WindowSlot,
  rule: WindowRule,
  now: number,
): RuleWindow {
  const window = table.read(place);
  // A clock set back must not make a window last longer than its length.
  const isOpen = window !== null && window.endsAt > now && window.endsAt <= now + rule.ms;
  return { place, rule, window: isOpen ? window : { count: 0, endsAt: now + rule.ms } };
}
