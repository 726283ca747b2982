import { VISITOR_WORDS } from '../chunk/visitor-order';
import { Cancellation } from '../cancellation';
import type { CountingQuestion, PartialCount } from './counting-question';
import { ReturningVisitors } from './distinct-visitors';
import { RangeCounter } from './range-counter';
import { firstVisitor, type Segment, type VisitorRange, visitorRanges } from '../resident/segment';
import { EngineBusyError } from '../engine.errors';

const SLOTS_AT_FIRST = 4096;
/** Into so many ranges one is cut whose visitors alone take more memory than there is. */
const RANGE_PARTS = 8;

/**
 * Numbers the visitors of a range in the order in which they are met. Their place in the table
 * rises with their hash, so that visitors in ascending order are found in ascending memory.
 */
export class VisitorNumbers {
  private slots = new Uint32Array(SLOTS_AT_FIRST);
  private words = new Uint32Array((SLOTS_AT_FIRST / 2) * VISITOR_WORDS);
  private count = 0;

  constructor(private readonly range: VisitorRange) {}

  get bytes(): number {
    return this.slots.byteLength + this.words.byteLength;
  }

  /** The number, from 1, of the visitor at that place in a list of hashes. */
  numberOf(visitors: Uint32Array, place: number): number {
    const { slots, words } = this;
    const at = place * VISITOR_WORDS;
    const [a, b, c] = [visitors[at] ?? 0, visitors[at + 1] ?? 0, visitors[at + 2] ?? 0];
    for (let slot = this.slotOf(a); ; slot = slot + 1 === slots.length ? 0 : slot + 1) {
      const number = slots[slot] ?? 0;
      if (number === 0) return this.add(slot, a, b, c);
      const known = (number - 1) * VISITOR_WORDS;
      if (words[known] === a && words[known + 1] === b && words[known + 2] === c) return number;
    }
  }

  private slotOf(word: number): number {
    const { low, high } = this.range;
    return Math.floor(((word - low) / (high - low)) * this.slots.length);
  }

  private add(slot: number, a: number, b: number, c: number): number {
    this.words.set([a, b, c], this.count * VISITOR_WORDS);
    this.count += 1;
    this.slots[slot] = this.count;
    const number = this.count;
    if (this.count * 2 >= this.slots.length) this.grow();
    return number;
  }

  private grow(): void {
    const words = new Uint32Array(this.slots.length * VISITOR_WORDS);
    words.set(this.words);
    this.words = words;
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let number = 1; number <= this.count; number += 1) {
      let slot = this.slotOf(words[(number - 1) * VISITOR_WORDS] ?? 0);
      while (this.slots[slot] !== 0) slot = slot + 1 === this.slots.length ? 0 : slot + 1;
      this.slots[slot] = number;
    }
  }
}

/** One range of visitors, counted as its rows come along. */
class ScannedRange {
  private readonly distinct: ReturningVisitors[] = [];
  private readonly visitors: VisitorNumbers;
  private readonly counter: RangeCounter;

  constructor(
    readonly range: VisitorRange,
    question: CountingQuestion,
    cancellation: Cancellation,
  ) {
    this.visitors = new VisitorNumbers(range);
    const distinct = (): ReturningVisitors => {
      const made = new ReturningVisitors();
      this.distinct.push(made);
      return made;
    };
    this.counter = new RangeCounter(question, distinct, cancellation);
  }

  add(segment: Segment, numbers: Uint32Array, question?: CountingQuestion): void {
    if (question !== undefined) this.counter.renew(question);
    const from = firstVisitor(segment, this.range.low);
    const to = firstVisitor(segment, this.range.high);
    for (let place = from; place < to; place += 1) {
      numbers[place] = this.visitors.numberOf(segment.visitors, place);
    }
    if (to > from) this.counter.add([{ segment, from, to, offset: 0, numbers }]);
  }

  get bytes(): number {
    const distinct = this.distinct.reduce((sum, { bytes }) => sum + bytes, 0);
    return distinct + this.visitors.bytes + this.counter.bytes;
  }

  result(): PartialCount {
    return this.counter.result();
  }
}

/**
 * Counts segments that are forgotten at once, in bounded memory: what has to be remembered is which
 * values each visitor has met. Where that is too much the last ranges of visitors are given up, to
 * be counted by another pass.
 */
export class Scan {
  private readonly cancellation: Cancellation;
  private readonly active: ScannedRange[];
  private readonly pending: VisitorRange[] = [];

  constructor(
    question: CountingQuestion,
    ranges: readonly VisitorRange[],
    private readonly limit: number,
    cancelled: Int32Array,
  ) {
    this.cancellation = new Cancellation(cancelled);
    this.active = ranges.map((range) => new ScannedRange(range, question, this.cancellation));
  }

  /** Adds a segment; returns the memory that the scan takes. */
  addSegment(segment: Segment, question?: CountingQuestion): number {
    const numbers = new Uint32Array(segment.visitorRows.length);
    for (const range of this.active) {
      this.cancellation.check();
      range.add(segment, numbers, question);
    }
    while (this.bytes > this.limit) this.giveUp();
    return this.bytes;
  }

  end(): { counts: PartialCount[]; pending: VisitorRange[] } {
    return { counts: this.active.map((range) => range.result()), pending: this.pending };
  }

  private get bytes(): number {
    return this.active.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  private giveUp(): void {
    const last = this.active.pop();
    if (last === undefined) return;
    const { range } = last;
    if (this.active.length > 0) this.pending.push(range);
    else if (range.high - range.low < RANGE_PARTS) throw new EngineBusyError();
    else this.pending.push(...visitorRanges(RANGE_PARTS, range));
  }
}
