import { setImmediate as turn } from 'node:timers/promises';
import { withTimeout } from '../../common/with-timeout';
import type { Logger } from '../../common/log';
import type { ClicksStored, ClicksStoredEvents, ClicksStoredListener } from '../clicks-stored';
import type { JournalReader } from '../journal/journal.reader';
import { REMINDER_MS } from '../journal/journal.sync';
import { ClicksElsewhereError } from '../store/click-home.errors';
import type { BatchRecorder } from './batch.recorder';
import type { RecordingPause } from './recording-pause';
import { DrainTimeoutError, VisitorKeyError } from '../clicks.errors';

export class CancellableDelay {
  private end: () => void = () => undefined;

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  cancel(): void {
    this.end();
  }
}

const POLL_MS = 250;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5000;
/** A single failure is not reported, because the next attempt usually succeeds. */
const MIN_FAILURES = 2;
/** After a batch, the recorder pauses for a multiple of the batch's duration. */
const REST_SHARE = 4;
const MAX_REST_MS = 5000;
const JOURNAL_POLL_MS = 500;
/** The primary waits only slightly longer for this process to exit. */
const RELEASE_MS = 1000;

export class RecordingCounters implements ClicksStoredListener {
  readonly name = 'counters';
  private readonly counted = {
    lastBatchSize: 0,
    lastBatchMs: 0,
    /** Counters, which start at zero with the process. */
    batches: 0,
    clicks: 0,
    batchMs: 0,
  };

  onClicksStored({ clicks, durationMs }: ClicksStored): void {
    this.counted.lastBatchSize = clicks;
    this.counted.lastBatchMs = durationMs;
    this.counted.batches += 1;
    this.counted.clicks += clicks;
    this.counted.batchMs += durationMs;
  }

  values(): RecordedClicks {
    return { ...this.counted };
  }
}

type RecordedClicks = RecordingCounters['counted'];

export interface RecorderStatus extends RecordedClicks {
  quarantined: number;
  files: number;
  bytes: number;
  /** Time since the last write to the oldest waiting file; null if no file is waiting. */
  oldestMs: number | null;
  /** Whether the last write to ClickHouse succeeded; null without ClickHouse. */
  clickHouseUp: boolean | null;
  advice: string | null;
}

/** Other errors are not shown, because they may contain addresses and /health is public. */
function recordingAdvice(error: unknown): string {
  return error instanceof VisitorKeyError || error instanceof ClicksElsewhereError
    ? error.message
    : 'Clicks wait in the journal: see the log for why they cannot be recorded';
}

/** Polls the journal four times a second; after database failures, retries with growing delays. */
export class Recorder {
  private readonly pause = new CancellableDelay();
  private readonly counters = new RecordingCounters();
  private readonly drained = new Set<() => void>();
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private failures = 0;
  private failure: unknown;
  private toldAt = 0;

  constructor(
    private readonly batches: BatchRecorder,
    private readonly journal: JournalReader,
    private readonly log: Logger,
    private readonly stored: ClicksStoredEvents,
    private readonly backup: RecordingPause,
  ) {
    stored.subscribe(this.counters);
  }

  start(): void {
    this.running = this.run();
  }

  /** Resolves after the current step; unfinished work is repeated at the next startup. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.pause.cancel();
    await this.running;
    await this.stored.stop();
    const release = this.batches.release();
    await withTimeout(release, RELEASE_MS, () => undefined).catch(
      // Releases the name, because the next process would otherwise wait until the lease expires.
      (error: unknown) =>
        this.log.warn('Could not release the node name; it will expire on its own', { err: error }),
    );
  }

  /** Resolves once the journal is empty. Rejects with DrainTimeoutError. */
  drain(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        this.drained.delete(done);
        resolve();
      };
      const timer = setTimeout(() => {
        this.drained.delete(done);
        reject(new DrainTimeoutError(timeoutMs));
      }, timeoutMs);
      this.drained.add(done);
      this.pause.cancel();
    });
  }

  async status(): Promise<RecorderStatus> {
    const waiting = await this.journal.list();
    const [oldest] = waiting;
    return {
      files: waiting.length,
      bytes: waiting.reduce((sum, { bytes }) => sum + bytes, 0),
      quarantined: await this.journal.quarantined(),
      oldestMs: oldest === undefined ? null : Math.max(0, Date.now() - oldest.modifiedMs),
      ...this.counters.values(),
      clickHouseUp: this.batches.clickHouseUp,
      advice: this.failures < MIN_FAILURES ? null : recordingAdvice(this.failure),
    };
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      // Callers that arrive during the read wait for the next read, because they may have sealed
      // more files.
      const drainCallbacks = [...this.drained];
      try {
        // Pauses only between batches, when the journal, the noted batch and click stores agree.
        if (await this.backup.isRequested(() => this.stored.settled())) {
          this.batches.doubtHome();
          await this.pause.wait(POLL_MS);
          continue;
        }
        const more = await this.batches.recordNext();
        this.recovered();
        if (more) {
          await this.rest();
          continue;
        }
        for (const done of drainCallbacks) done();
        if (this.drained.size === 0) await this.pause.wait(POLL_MS);
      } catch (error) {
        await this.retryLater(error);
      }
    }
  }

  /** Leaves time for redirects, and lets several clicks on a link be stored in a single write. */
  private async rest(): Promise<void> {
    const until = performance.now() + Math.min(REST_SHARE * this.batches.lastBatchMs, MAX_REST_MS);
    for (let left = until - performance.now(); left > 0; left = until - performance.now()) {
      if (this.stopped || this.drained.size > 0) break;
      await this.pause.wait(Math.min(left, JOURNAL_POLL_MS));
      if (left > JOURNAL_POLL_MS && (await this.batches.isFull())) break;
    }
    await turn();
  }

  private async retryLater(error: unknown): Promise<void> {
    if (this.failures === 0 || performance.now() - this.toldAt >= REMINDER_MS) {
      this.toldAt = performance.now();
      this.log.error('Could not record clicks; they remain in the journal', { err: error });
    }
    const wait = Math.min(FIRST_RETRY_MS * 2 ** this.failures, MAX_RETRY_MS);
    this.failures += 1;
    this.failure = error;
    if (!this.stopped) await this.pause.wait(wait);
  }

  private recovered(): void {
    if (this.failures > 0) this.log.info('Clicks are being recorded again');
    this.failures = 0;
  }
}
