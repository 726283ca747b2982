import type { ClickEvent } from '../click-event';
import type { Logger } from '../../common/log';
import { encodeClickEvent } from './journal.format';
import { JournalSink, type JournalSinkOptions } from './journal.sink';
import { runAll } from './journal.sync';

/**
 * The append-only click journal of one process. All visits of an event-loop turn are written with
 * one `writeSync`, and only then are they answered: what a visitor has seen survives SIGKILL. With
 * JOURNAL_SYNC=always they are answered after its sync, which one turn shares with others: what a
 * visitor has seen survives the loss of power, too.
 * A disk that refuses, or has only its reserve left, never fails or delays an answer; the lines
 * wait in memory.
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

  /** Bytes that no file has yet because the disk refuses them. */
  get pendingBytes(): number {
    return this.sink.pendingBytes;
  }

  /** Clicks that could be kept neither on the disk nor in memory. */
  get lost(): number {
    return this.sink.lost;
  }

  /** Queues a visit; `done` runs when its line is in the journal, at the end of the turn or later. */
  append(visited: ClickEvent, done: () => void): void {
    if (this.answers.length === 0) setImmediate(this.flush);
    this.lines += encodeClickEvent(visited);
    this.answers.push(done);
  }

  /** Writes and answers what is queued, then gives the open file to the recorder. */
  seal(): void {
    this.flush();
    this.sink.seal();
  }

  /** Seals for good; lines appended afterwards are still written, and sealed at once. */
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
