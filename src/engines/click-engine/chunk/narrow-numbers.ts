/** Non-negative integers in the narrowest array type that can represent all of them. */
export type NarrowNumbers = Uint8Array | Uint16Array | Uint32Array;

export function narrowNumbers(length: number, largest: number): NarrowNumbers {
  if (largest < 2 ** 8) return new Uint8Array(length);
  if (largest < 2 ** 16) return new Uint16Array(length);
  return new Uint32Array(length);
}

export function largestStorable(numbers: NarrowNumbers): number {
  return 256 ** numbers.BYTES_PER_ELEMENT - 1;
}

export function largestNumber(numbers: NarrowNumbers): number {
  let largest = 0;
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0;
    if (number > largest) largest = number;
  }
  return largest;
}
