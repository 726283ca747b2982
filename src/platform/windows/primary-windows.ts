import type { PrimaryLine } from '../primary/primary-line';
import { primaryDesk, type Desk } from '../primary/desk';
import { MemoryWindows } from './memory-windows';
import { WindowRule, WindowStore, WindowVerdict } from './window-store';

const TOPIC = 'windows.take';
const ANSWER_MS = 5000;

interface Taking {
  readonly key: string;
  readonly rules: readonly WindowRule[];
}

/** A worker's windows: the primary keeps them, so that all workers share one count. */
export class PrimaryWindows extends WindowStore {
  constructor(private readonly line: PrimaryLine) {
    super();
  }

  async take(key: string, rules: readonly WindowRule[]): Promise<WindowVerdict> {
    const taking: Taking = { key, rules };
    return (await this.line.ask(TOPIC, taking, ANSWER_MS)) as WindowVerdict;
  }
}

/** The primary's part: keeps the windows of all workers and judges their requests. */
export function serveWindows(windows = new MemoryWindows(), desk: Desk = primaryDesk): void {
  desk.serve(TOPIC, (taking) => {
    const { key, rules } = taking as Taking;
    return windows.judge(key, rules);
  });
}
