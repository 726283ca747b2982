import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningService } from './stage';

/** Event-loop delay in milliseconds: 99th percentile and maximum. */
export interface LoopDelay {
  p99: number;
  longest: number;
}

export class LoopProbe {
  constructor(private readonly file: string) {}

  get env(): Record<string, string> {
    const script = join(__dirname, 'loop-probe.js');
    return { NODE_OPTIONS: `--require ${script}`, LOOP_PROBE_FILE: this.file };
  }

  async read({ process: { pid } }: RunningService): Promise<LoopDelay> {
    const asked = Date.now();
    process.kill(pid ?? 0, 'SIGUSR2');
    for (let i = 0; i < 100; i++) {
      await sleep(10);
      const found = this.written();
      if (found.at >= asked) return found;
    }
    throw new Error('The service does not report its event-loop delay');
  }

  private written(): LoopDelay & { at: number } {
    try {
      return JSON.parse(readFileSync(this.file, 'utf8')) as LoopDelay & { at: number };
    } catch {
      return { p99: NaN, longest: NaN, at: 0 };
    }
  }
}
