/** Whole numbers from 0 in the narrowest width that holds them all. */
export type NarrowNumbers = Uint8Array | Uint16Array | Uint32Array;

/** Room for numbers up to `largest`; all 0. */
export function narrowNumbers(length: number, largest: number): NarrowNumbers {
  if (largest < 2 ** 8) return new Uint8Array(length);
  if (largest < 2 ** 16) return new Uint16Array(length);
  return new Uint32Array(length);
}

/** The largest number that such an array can hold. */
export function largestStorable(numbers: NarrowNumbers): number {
  return 256 ** numbers.BYTES_PER_ELEMENT - 1;
}

/** The largest of some numbers; 0 without any. */
export function largestNumber(numbers: NarrowNumbers): number {
  let largest = 0;
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0;
    if (number > largest) largest = number;
  }
  return largest;
}
