const WORDS = 3;
const VISITOR_BYTES = 12;
const START_SLOTS = 1 << 12;
/** Sums of digests stay exact integers. */
const MAX_SUM = 2 ** 52;

/**
 * Numbers visitors by their first click (docs/contract.md#23.2). Visitors whose first clicks are at
 * the same time are sorted by the content of all their clicks, so that the numbers depend neither
 * on hashes nor on the order of stored clicks. Takes at most 56 bytes per visitor.
 */
export class VisitorNumbers {
  private count = 0;
  private keys: Uint32Array;
  /** First click and sum of digests; once numbered, the number. */
  private values: Float64Array;

  private constructor(slots: number) {
    this.keys = new Uint32Array(WORDS * slots);
    this.values = new Float64Array(2 * slots);
  }

  static create(): VisitorNumbers {
    return new VisitorNumbers(START_SLOTS);
  }

  /** @param bytes from `numbered` */
  static read(bytes: Buffer): VisitorNumbers {
    const visitors = bytes.length / VISITOR_BYTES;
    let slots = START_SLOTS;
    // Does not grow, because growing a large table blocks the process.
    while (slots < 2 * (visitors + 1)) slots *= 2;
    const numbers = new VisitorNumbers(slots);
    for (let number = 0; number < visitors; number++) {
      const at = VISITOR_BYTES * number;
      const [first, second] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
      numbers.values[2 * numbers.slotFor(first, second, bytes.readUInt32BE(at + 8))] = number;
    }
    return numbers;
  }

  /** @param digest of the click, below 2^52 */
  add(visitor: string, at: number, digest: number): void {
    const before = this.count;
    if (2 * (this.count + 1) > this.values.length / 2) this.grow();
    const place = 2 * this.slotOf(visitor);
    const { values } = this;
    if (this.count > before || at < (values[place] ?? 0)) values[place] = at;
    values[place + 1] = ((values[place + 1] ?? 0) + digest) % MAX_SUM;
  }

  numberOf(visitor: string): number {
    return this.values[2 * this.slotOf(visitor)] ?? 0;
  }

  /** Returns the visitors by number, 12 bytes each. */
  numbered(): Buffer {
    const { keys, values } = this;
    const slots = new Uint32Array(this.count);
    let next = 0;
    for (let slot = 0; slot < values.length / 2; slot++)
      if (this.isUsed(slot)) slots[next++] = slot;
    slots.sort((a, b) => {
      const first = (values[2 * a] ?? 0) - (values[2 * b] ?? 0);
      return first === 0 ? (values[2 * a + 1] ?? 0) - (values[2 * b + 1] ?? 0) : first;
    });
    const bytes = Buffer.alloc(VISITOR_BYTES * slots.length);
    for (const [number, slot] of slots.entries()) {
      for (let word = 0; word < WORDS; word++)
        bytes.writeUInt32BE(keys[WORDS * slot + word] ?? 0, VISITOR_BYTES * number + 4 * word);
    }
    return bytes;
  }

  private slotOf(visitor: string): number {
    const first = Number.parseInt(visitor.slice(0, 8), 16);
    const second = Number.parseInt(visitor.slice(8, 16), 16);
    return this.slotFor(first, second, Number.parseInt(visitor.slice(16), 16));
  }

  /** Returns the visitor's slot, or takes a free one. */
  private slotFor(first: number, second: number, third: number): number {
    const { keys } = this;
    const slots = keys.length / WORDS;
    let slot = (first + second + third) % slots;
    for (; this.isUsed(slot); slot = (slot + 1) % slots) {
      const at = WORDS * slot;
      if (keys[at] === first && keys[at + 1] === second && keys[at + 2] === third) return slot;
    }
    const at = WORDS * slot;
    [keys[at], keys[at + 1], keys[at + 2]] = [first, second, third];
    this.count += 1;
    return slot;
  }

  /** The hash of zeros stands for unknown visitors, which have no number. */
  private isUsed(slot: number): boolean {
    const at = WORDS * slot;
    return this.keys[at] !== 0 || this.keys[at + 1] !== 0 || this.keys[at + 2] !== 0;
  }

  private grow(): void {
    const { keys, values } = this;
    this.keys = new Uint32Array(2 * keys.length);
    this.values = new Float64Array(2 * values.length);
    this.count = 0;
    for (let from = 0; WORDS * from < keys.length; from++) {
      const at = WORDS * from;
      const [first = 0, second = 0, third = 0] = [keys[at], keys[at + 1], keys[at + 2]];
      if (first === 0 && second === 0 && third === 0) continue;
      const to = 2 * this.slotFor(first, second, third);
      this.values[to] = values[2 * from] ?? 0;
      this.values[to + 1] = values[2 * from + 1] ?? 0;
    }
  }
}
