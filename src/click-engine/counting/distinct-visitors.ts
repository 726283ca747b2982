/** Tells whether a visitor has met a value before. */
export interface DistinctVisitors {
  /** @param visitor a number from 1 */
  isNew(value: number, visitor: number): boolean;
}

/**
 * For visitors that come one after the other, all their rows together: a value has met the visitor
 * before exactly when it was the last one it met. No sets, no estimates.
 */
export class OrderedVisitors implements DistinctVisitors {
  private readonly last: Uint32Array;

  constructor(values: number) {
    this.last = new Uint32Array(values);
  }

  isNew(value: number, visitor: number): boolean {
    if (this.last[value] === visitor) return false;
    this.last[value] = visitor;
    return true;
  }
}

const VISITORS_AT_FIRST = 1024;

/**
 * For visitors that come again later: the first value of each, and of those with several values one
 * bit for each further value. The bits lie by 32 values and there only by visitor, so that visitors
 * who come in ascending order are looked up in ascending memory.
 */
export class ReturningVisitors implements DistinctVisitors {
  private first: Uint32Array = new Uint32Array(VISITORS_AT_FIRST);
  private readonly pages: (Uint32Array | undefined)[] = [];
  bytes = this.first.byteLength;

  isNew(value: number, visitor: number): boolean {
    if (visitor >= this.first.length) this.first = this.grown(this.first, visitor);
    const known = this.first[visitor] ?? 0;
    if (known === 0) {
      this.first[visitor] = value + 1;
      return true;
    }
    return known !== value + 1 && this.isFurther(value, visitor);
  }

  private isFurther(value: number, visitor: number): boolean {
    const place = value >>> 5;
    let page = this.pages[place];
    if (page === undefined || visitor >= page.length) {
      page = this.grown(page ?? new Uint32Array(), visitor);
      this.pages[place] = page;
    }
    const bits = page[visitor] ?? 0;
    const bit = 1 << (value & 31);
    if ((bits & bit) !== 0) return false;
    page[visitor] = bits | bit;
    return true;
  }

  /** Returns the array, grown to the length of the list of visitors, which doubles. */
  private grown(array: Uint32Array, visitor: number): Uint32Array {
    let length = Math.max(this.first.length, VISITORS_AT_FIRST);
    while (length <= visitor) length *= 2;
    const larger = new Uint32Array(length);
    larger.set(array);
    this.bytes += larger.byteLength - array.byteLength;
    return larger;
  }
}
