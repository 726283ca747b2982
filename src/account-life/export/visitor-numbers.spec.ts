import { VisitorNumbers } from './visitor-numbers';

const visitor = (n: number): string => n.toString(16).padStart(24, '0');

function numberedBy(clicks: readonly (readonly [visitor: number, at: number, digest: number])[]) {
  const numbers = VisitorNumbers.create();
  for (const [n, at, digest] of clicks) numbers.add(visitor(n), at, digest);
  const read = VisitorNumbers.read(numbers.numbered());
  return (n: number) => read.numberOf(visitor(n));
}

describe('the numbers of visitors', () => {
  it("are in the order of the visitors' first clicks, for any order of reading", () => {
    const clicks = [
      [7, 300, 1],
      [9, 200, 1],
      [8, 250, 1],
      [7, 100, 1],
    ] as const;
    for (const order of [clicks, clicks.toReversed()])
      expect([7, 9, 8].map(numberedBy(order))).toEqual([0, 1, 2]);
  });

  it('depend on the content of all clicks if first clicks have the same time', () => {
    const clicks = (first: number, second: number) =>
      numberedBy([
        [first, 100, 5],
        [second, 100, 6],
        [first, 200, 9],
        [second, 200, 2],
      ]);
    expect([1, 2].map(clicks(1, 2))).toEqual([1, 0]);
    expect([1, 2].map(clicks(2, 1))).toEqual([0, 1]);
  });

  it('are different for many visitors, even if parts of their hashes are equal', () => {
    const count = 20_000;
    const numberOf = numberedBy(
      Array.from({ length: count }, (_, i) => [i + 1, count - i, 0] as const),
    );
    const numbers = Array.from({ length: count }, (_, i) => numberOf(i + 1));
    expect(numbers).toEqual(Array.from({ length: count }, (_, i) => count - 1 - i));
  });
});
