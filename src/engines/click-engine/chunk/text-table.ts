/** Numbers strings by their UTF-8 bytes and decodes each string once; 0 means no string. */
export class TextTable {
  private slots = new Uint32Array(1 << 10);
  private hashes = new Uint32Array(1 << 9);
  /** Text `n` consists of `bytes` from `ends[n - 1]` up to but excluding `ends[n]`. */
  private ends = new Uint32Array(1 << 9);
  private bytes = Buffer.allocUnsafe(1 << 14);
  private readonly texts: (string | null | undefined)[] = [null];

  /** Number of strings, including the number 0 for no string. */
  get size(): number {
    return this.texts.length;
  }

  numberFromUtf8(source: Uint8Array, from: number, to: number): number {
    let hash = to - from;
    for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ (source[i] ?? 0), 0x01000193);
    hash = (hash ^ (hash >>> 15)) >>> 0;
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const number = this.slots[slot] ?? 0;
      if (number === 0) return this.add(source, from, to, hash, slot);
      if (this.hashes[number] === hash && this.equals(number, source, from, to)) return number;
      slot = (slot + 1) & mask;
    }
  }

  numberOfText(text: string | null): number {
    if (text === null) return 0;
    const utf8 = Buffer.from(text);
    return this.numberFromUtf8(utf8, 0, utf8.length);
  }

  text(number: number): string | null {
    const known = this.texts[number];
    if (known !== undefined) return known;
    const text = this.bytes.toString('utf8', this.ends[number - 1], this.ends[number]);
    this.texts[number] = text;
    return text;
  }

  private equals(number: number, source: Uint8Array, from: number, to: number): boolean {
    const start = this.ends[number - 1] ?? 0;
    if ((this.ends[number] ?? 0) - start !== to - from) return false;
    for (let i = from, own = start; i < to; i += 1, own += 1) {
      if (this.bytes[own] !== source[i]) return false;
    }
    return true;
  }

  private add(source: Uint8Array, from: number, to: number, hash: number, slot: number): number {
    const number = this.texts.push(undefined) - 1;
    const start = this.ends[number - 1] ?? 0;
    const end = start + to - from;
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, end));
      larger.set(this.bytes.subarray(0, start));
      this.bytes = larger;
    }
    this.bytes.set(source.subarray(from, to), start);
    if (number === this.ends.length) {
      this.ends = doubled(this.ends);
      this.hashes = doubled(this.hashes);
    }
    this.ends[number] = end;
    this.hashes[number] = hash;
    this.slots[slot] = number;
    if (this.size * 2 > this.slots.length) this.widen();
    return number;
  }

  private widen(): void {
    const slots = new Uint32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 1; number < this.size; number += 1) {
      let slot = (this.hashes[number] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.slots = slots;
  }
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}
