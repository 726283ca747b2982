import type { ClickEvent } from '../click-event';
import type { Logger } from '../../common/log';
import { encodeClickEvent } from './journal.format';
import { JournalSink, type JournalSinkOptions } from './journal.sink';
import { runAll } from './journal.sync';

/**
 * Before it responds to visits, writes all visits in an event loop turn in a single `writeSync`, so
 * that they survive SIGKILL or, with JOURNAL_SYNC=always, a power failure. If the disk fails,
 * lines are kept in memory and responses are not delayed.
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

  /** Number of bytes in memory because the disk rejects writes. */
  get pendingBytes(): number {
    return this.sink.pendingBytes;
  }

  get isFailing(): boolean {
    return this.sink.isFailing;
  }

  /** Number of clicks lost because neither the disk nor memory had space. */
  get lost(): number {
    return this.sink.lost;
  }

  /** `done` is called once the line is in the journal, at the end of the turn or later. */
  append(visited: ClickEvent, done: () => void): void {
    if (this.answers.length === 0) setImmediate(this.flush);
    this.lines += encodeClickEvent(visited);
    this.answers.push(done);
  }

  seal(): void {
    this.flush();
    this.sink.seal();
  }

  /** Lines appended after this call are still written, and sealed immediately. */
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
