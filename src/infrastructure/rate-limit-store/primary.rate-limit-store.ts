import type { PrimaryClient } from '../../runtime/ipc/primary-client';
import { primaryHandlers, type RpcHandlers } from '../../runtime/ipc/rpc-handlers';
import { MemoryRateLimitStore } from './memory.rate-limit-store';
import { WindowRule, RateLimitStore, WindowVerdict } from './rate-limit-store';

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
export class PrimaryRateLimitStore extends RateLimitStore {
  constructor(private readonly line: PrimaryClient) {
    super();
  }

  async take(key: string, rules: readonly WindowRule[]): Promise<WindowVerdict> {
    const taking: Taking = { key, rules };
    return (await this.line.call(TAKE, taking, ANSWER_MS)) as WindowVerdict;
  }

  async giveBack(key: string, rules: readonly WindowRule[], verdict: WindowVerdict): Promise<void> {
    const giving: GivingBack = { key, rules, verdict };
    await this.line.call(GIVE_BACK, giving, ANSWER_MS);
  }
}

/** The primary's part: keeps the windows of all workers and judges their requests. */
export function serveRateLimits(
  windows = new MemoryRateLimitStore(),
  handlers: RpcHandlers = primaryHandlers,
): void {
  handlers.handle(TAKE, (taking) => {
    const { key, rules } = taking as Taking;
    return windows.judge(key, rules);
  });
  handlers.handle(GIVE_BACK, (giving) => {
    const { key, rules, verdict } = giving as GivingBack;
    windows.uncount(key, rules, verdict);
  });
}
