import type { ClickEvent } from '../click-event';
import type { Logger } from '../../common/log';
import { encodeClickEvent } from './journal.format';
import { JournalSink, type JournalSinkOptions } from './journal.sink';
import { runAll } from './journal.sync';

/**
 * Writes all visits of an event-loop turn with one `writeSync` before responding, so they
 * survive SIGKILL; with JOURNAL_SYNC=always, also power loss. A failing disk never delays a
 * response: the lines wait in memory.
 */
export class JournalWriter {
  private readonly sink: JournalSink;
  private readonly logger: Logger;
  private lines = '';
  private answers: (() => void)[] = [];
  private closed = false;

  constructor(options: JournalSinkOptions) {
    this.sink = new JournalSink(options);
    this.logger = options.logger;
  }

  /** Bytes that are only in memory because the disk rejects writes. */
  get pendingBytes(): number {
    return this.sink.pendingBytes;
  }

  get isFailing(): boolean {
    return this.sink.isFailing;
  }

  /** Clicks that fit neither on disk nor in memory. */
  get lost(): number {
    return this.sink.lost;
  }

  /** `done` runs once the line is in the journal, at the end of the turn or later. */
  append(visited: ClickEvent, done: () => void): void {
    if (this.answers.length === 0) setImmediate(this.flush);
    this.lines += encodeClickEvent(visited);
    this.answers.push(done);
  }

  seal(): void {
    this.flush();
    this.sink.seal();
  }

  /** Lines appended afterwards are still written and sealed immediately. */
  close(): void {
    this.closed = true;
    this.flush();
    this.sink.close();
  }

  private readonly flush = (): void => {
    const { lines, answers } = this;
    if (answers.length === 0) return;
    this.lines = '';
    this.answers = [];
    this.sink.write(lines);
    if (this.sink.holdsAnswers) this.sink.whenSynced(() => runAll(answers, this.logger));
    else runAll(answers, this.logger);
    if (this.closed) this.sink.close();
  };
}
