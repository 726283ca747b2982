import { WindowRule, WindowState, WindowStore, WindowVerdict } from './window-store';

interface OpenWindow {
  count: number;
  endsAt: number;
}

const SWEEP_MS = 60_000;

/** Windows in this process; ended ones are swept once a minute. */
export class MemoryWindows extends WindowStore {
  private readonly open = new Map<string, OpenWindow>();
  private sweptAt = 0;

  constructor(private readonly now: () => number = Date.now) {
    super();
  }

  take(key: string, rules: readonly WindowRule[]): Promise<WindowVerdict> {
    return Promise.resolve(this.judge(key, rules));
  }

  judge(key: string, rules: readonly WindowRule[]): WindowVerdict {
    const now = this.now();
    this.sweep(now);
    const found = rules.map((rule) => this.find(`${rule.ms}|${key}`, now, rule.ms));
    const allowed = found.every((window, i) => window.count < (rules[i]?.limit ?? 0));
    if (allowed) {
      found.forEach((window, i) => {
        if (window.count++ === 0) this.open.set(`${rules[i]?.ms ?? 0}|${key}`, window);
      });
    }
    const windows = found.map((window, i): WindowState => ({
      limit: rules[i]?.limit ?? 0,
      ...window,
    }));
    return { allowed, windows, now };
  }

  /** Number of windows held, for tests and metrics. */
  get size(): number {
    return this.open.size;
  }

  private find(key: string, now: number, ms: number): OpenWindow {
    const window = this.open.get(key);
    // A clock set back must not make a window last longer than its length.
    if (window !== undefined && window.endsAt > now && window.endsAt <= now + ms) return window;
    return { count: 0, endsAt: now + ms };
  }

  private sweep(now: number): void {
    if (now - this.sweptAt < SWEEP_MS && now >= this.sweptAt) return;
    this.sweptAt = now;
    for (const [key, window] of this.open) if (window.endsAt <= now) this.open.delete(key);
  }
}
