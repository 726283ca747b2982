import { type PrimaryClient, primaryHandlers } from '../../processes/rpc/primary-client';
import { MemoryRateLimitStore } from './memory.rate-limit-store';
import { WindowRule, RateLimitStore, WindowVerdict } from './rate-limit-store';

interface LimitedKey {
  readonly key: string;
  readonly rules: readonly WindowRule[];
}

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'rate-limits.take': {
      request: LimitedKey & { readonly cost: number };
      response: WindowVerdict;
    };
    'rate-limits.give-back': {
      request: LimitedKey & { readonly verdict: WindowVerdict };
      response: undefined;
    };
  }
}

const PRIMARY_TIMEOUT_MS = 5000;

export class PrimaryRateLimitStore extends RateLimitStore {
  constructor(private readonly primary: PrimaryClient) {
    super();
  }

  async takeFromWindows(
    key: string,
    rules: readonly WindowRule[],
    cost = 1,
  ): Promise<WindowVerdict> {
    return this.primary.call('rate-limits.take', { key, rules, cost }, PRIMARY_TIMEOUT_MS);
  }

  async giveBack(key: string, rules: readonly WindowRule[], verdict: WindowVerdict): Promise<void> {
    await this.primary.call('rate-limits.give-back', { key, rules, verdict }, PRIMARY_TIMEOUT_MS);
  }
}

export function serveRateLimits(windows = new MemoryRateLimitStore()): void {
  primaryHandlers
    .handle('rate-limits.take', ({ key, rules, cost }) => windows.judge(key, rules, cost))
    .handle('rate-limits.give-back', ({ key, rules, verdict }) => {
      windows.uncount(key, rules, verdict);
      return undefined;
    });
}
