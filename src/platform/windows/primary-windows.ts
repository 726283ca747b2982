import type { PrimaryLine } from '../primary/primary-line';
import { primaryDesk, type Desk } from '../primary/desk';
import { MemoryWindows } from './memory-windows';
import { WindowRule, WindowStore, WindowVerdict } from './window-store';

const TAKE = 'windows.take';
const GIVE_BACK = 'windows.give-back';
const ANSWER_MS = 5000;

interface Taking {
  readonly key: string;
  readonly rules: readonly WindowRule[];
}

interface GivingBack extends Taking {
  readonly verdict: WindowVerdict;
}

/** A worker's windows: the primary keeps them, so that all workers share one count. */
export class PrimaryWindows extends WindowStore {
  constructor(private readonly line: PrimaryLine) {
    super();
  }

  async take(key: string, rules: readonly WindowRule[]): Promise<WindowVerdict> {
    const taking: Taking = { key, rules };
    return (await this.line.ask(TAKE, taking, ANSWER_MS)) as WindowVerdict;
  }

  async giveBack(key: string, rules: readonly WindowRule[], verdict: WindowVerdict): Promise<void> {
    const giving: GivingBack = { key, rules, verdict };
    await this.line.ask(GIVE_BACK, giving, ANSWER_MS);
  }
}

/** The primary's part: keeps the windows of all workers and judges their requests. */
export function serveWindows(windows = new MemoryWindows(), desk: Desk = primaryDesk): void {
  desk.serve(TAKE, (taking) => {
    const { key, rules } = taking as Taking;
    return windows.judge(key, rules);
  });
  desk.serve(GIVE_BACK, (giving) => {
    const { key, rules, verdict } = giving as GivingBack;
    windows.uncount(key, rules, verdict);
  });
}
