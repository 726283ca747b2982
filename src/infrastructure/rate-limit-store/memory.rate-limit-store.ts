import { WindowRule, WindowState, RateLimitStore, WindowVerdict } from './rate-limit-store';
import { type OpenWindow, type WindowSlot, WindowTable } from './window-table';

/** Maximum number of windows; all together take about 31 MB. */
export interface WindowCapacity {
  /** Windows for IP addresses; a client with an IPv6 network has very many addresses. */
  readonly clients: number;
  /** Windows for accounts, API keys and mailboxes, which are difficult to obtain in bulk. */
  readonly others: number;
}

const CAPACITY: WindowCapacity = { clients: 2 ** 20, others: 2 ** 18 };

/** Uses two tables of fixed size, so that many IP addresses cannot evict account windows. */
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
      // The window has ended, so there is nothing to give back.
      if (window === null || window.count === 0 || window.endsAt !== windows[i]?.endsAt) return;
      const count = Math.max(0, window.count - cost);
      // A window starts with the first counted request, so a window with a count of 0 is removed.
      table.write(place, { count, endsAt: count === 0 ? 0 : window.endsAt }, rule.limit, now);
    });
  }

  get size(): number {
    return this.clients.open(this.now()) + this.others.open(this.now());
  }

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
  // If the clock was set back, the window must not be extended.
  const isOpen = window !== null && window.endsAt > now && window.endsAt <= now + rule.ms;
  return { place, rule, window: isOpen ? window : { count: 0, endsAt: now + rule.ms } };
}
