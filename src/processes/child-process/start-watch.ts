import type { ProcessLogger } from './parent-channel';
import { BUSY, readActivity, type ProcessActivity, WAITING_FOR_DISK } from './process-activity';

/** Less activity between two checks counts as idle. Responding to pings takes about this much. */
const IDLE = { cpuMs: 200, ioBytes: 65_536 };

export interface StartWatchOptions {
  name: string;
  pid: number;
  logger: ProcessLogger;
  /** Time until the first report on a slow startup, and between later checks. */
  lookMs: number;
  /** Called if the process was idle between two checks. If absent, that is only logged. */
  onIdle?: () => void;
}

export class StartWatch {
  private readonly steps: { step: string; since: number }[];
  private readonly looking: NodeJS.Timeout;
  private last: ProcessActivity | null;

  constructor(private readonly options: StartWatchOptions) {
    this.steps = [{ step: 'process', since: performance.now() }];
    this.last = readActivity(options.pid);
    this.looking = setInterval(() => this.look(), options.lookMs).unref();
  }

  enter(step: string): void {
    this.steps.push({ step, since: performance.now() });
  }

  /** Returns milliseconds per step, including retries. */
  durations(): Record<string, number> {
    const now = performance.now();
    const durations: Record<string, number> = {};
    for (const [i, { step, since }] of this.steps.entries()) {
      const took = (this.steps[i + 1]?.since ?? now) - since;
      durations[step] = Math.round((durations[step] ?? 0) + took);
    }
    return durations;
  }

  stop(): void {
    clearInterval(this.looking);
  }

  private look(): void {
    const { name, pid, logger, onIdle } = this.options;
    const now = readActivity(pid);
    const did = now !== null && this.last !== null ? difference(now, this.last) : null;
    this.last = now;
    const details = { steps: this.durations(), ...(did !== null && { sinceLastLook: did }) };
    const idle = did !== null && hasStalled(did);
    const step = this.steps.at(-1)?.step;
    if (idle && onIdle !== undefined) {
      logger.error(`The ${name} process got stuck during startup (${step}); killing it`, details);
      this.stop();
      onIdle();
      return;
    }
    logger.warn(`The ${name} process is slow to start (${step})`, details);
  }
}

function hasStalled({ state, cpuMs, ioBytes }: ProcessActivity): boolean {
  const isHindered = state === WAITING_FOR_DISK || state === BUSY;
  return !isHindered && cpuMs < IDLE.cpuMs && ioBytes < IDLE.ioBytes;
}

function difference(now: ProcessActivity, before: ProcessActivity): ProcessActivity {
  const { cpuMs, ioBytes } = before;
  return { state: now.state, cpuMs: now.cpuMs - cpuMs, ioBytes: now.ioBytes - ioBytes };
}
