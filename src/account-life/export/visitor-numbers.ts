const WORDS = 3;
const WORD_DIGITS = 8;
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
  private keys = new Uint32Array(WORDS * START_SLOTS);
  /** First click and sum of digests; once numbered, the number. */
  private values = new Float64Array(2 * START_SLOTS);

  /** @param bytes from `numbered` */
  static read(bytes: Buffer): VisitorNumbers {
    const numbers = new VisitorNumbers();
    for (let at = 0; at < bytes.length; at += VISITOR_BYTES) {
      const visitor = bytes.toString('hex', at, at + VISITOR_BYTES);
      // First, because the values are replaced as they grow.
      const slot = numbers.slotFor(visitor);
      numbers.values[2 * slot] = at / VISITOR_BYTES;
    }
    return numbers;
  }

  /** @param digest of the click, below 2^52 */
  add(visitor: string, at: number, digest: number): void {
    const before = this.count;
    const place = 2 * this.slotFor(visitor);
    const { values } = this;
    if (this.count > before || at < (values[place] ?? 0)) values[place] = at;
    values[place + 1] = ((values[place + 1] ?? 0) + digest) % MAX_SUM;
  }

  numberOf(visitor: string): number {
    const slot = this.slotFor(visitor);
    return this.values[2 * slot] ?? 0;
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

  /** Returns the visitor's slot, or takes a free one. */
  private slotFor(visitor: string): number {
    if (2 * (this.count + 1) > this.values.length / 2) this.grow();
    const words = Array.from({ length: WORDS }, (_, word) =>
      Number.parseInt(visitor.slice(WORD_DIGITS * word, WORD_DIGITS * (word + 1)), 16),
    );
    return this.place(words);
  }

  private place(words: readonly number[]): number {
    const slots = this.values.length / 2;
    let slot = words.reduce((sum, word) => sum + word, 0) % slots;
    for (; this.isUsed(slot); slot = (slot + 1) % slots) {
      if (words.every((word, i) => this.keys[WORDS * slot + i] === word)) return slot;
    }
    this.keys.set(words, WORDS * slot);
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
    for (let at = 0; at < keys.length; at += WORDS) {
      const words = [...keys.subarray(at, at + WORDS)];
      if (words.every((word) => word === 0)) continue;
      const from = (2 * at) / WORDS;
      this.values.set(values.subarray(from, from + 2), 2 * this.place(words));
    }
  }
}
