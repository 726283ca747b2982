import { Dice } from '../../test/support/shared/made-up-visits';
import {
  destinationNames,
  type Destinations,
  type NewVariant,
  NO_DESTINATIONS,
} from './destinations';
import { numbered, ruleKeyProblem } from './numbering';

const when = [{ field: 'query' as const, name: 'a' }];
const aRule = (to: string, key?: string) => ({ ...(key === undefined ? {} : { key }), when, to });
const keysOf = ({ rules, abVariants }: Destinations) => [
  ...rules.map(({ key }) => key),
  ...abVariants.map(({ key }) => key),
];
const split = (...weights: readonly (readonly [string, number])[]): NewVariant[] =>
  weights.map(([url, weight]) => ({ url, weight }));

/** Returns the URL for each bucket of visitors; null for the main destination. */
function dealt({ abVariants }: Destinations): (string | null)[] {
  const shares = Array.from({ length: 100 }, (): string | null => null);
  for (const { url, shares: own } of abVariants) for (const share of own) shares[share] = url;
  return shares;
}
const moved = (before: Destinations, after: Destinations): number =>
  dealt(before).filter((url, i) => url !== dealt(after)[i]).length;

describe('Keys of rules', () => {
  it.each(['r1', 'a', '-', '1-', 'x'.repeat(20)])('may be %s', (key) =>
    expect(ruleKeyProblem(key)).toBeNull(),
  );
  it.each(['', '1', '42', 'geo', 'A', 'ä', 'a b', '(default)', 'x'.repeat(21)])(
    'may not be "%s"',
    (key) => expect(ruleKeyProblem(key)).not.toBeNull(),
  );

  it('are generated if they are missing, and are never reused', () => {
    let link = numbered(NO_DESTINATIONS, { rules: [aRule('a'), aRule('b', 'r2'), aRule('c')] });
    expect(keysOf(link)).toEqual(['r3', 'r2', 'r4']);
    link = numbered(link, { rules: [aRule('d'), aRule('c', 'r4')] });
    expect(keysOf(link)).toEqual(['r5', 'r4']);
    link = numbered(link, { rules: [] });
    expect(keysOf(numbered(link, { rules: [aRule('e')] }))).toEqual(['r6']);
    expect(link.goneDestinations.map(({ key }) => key)).toEqual(['r3', 'r2', 'r5', 'r4']);
  });
});

describe('Variants', () => {
  it('keep the keys from an account export', () => {
    const given = ['7', '2'].map((key) => ({ key, url: key, weight: 1 }));
    const link = numbered(NO_DESTINATIONS, { abVariants: given });
    expect(keysOf(link)).toEqual(['7', '2']);
    expect(keysOf(numbered(link, { abVariants: split(['a', 1]) }))).toEqual(['8']);
  });

  it('keep the key of their address in any order and with any weight', () => {
    let link = numbered(NO_DESTINATIONS, { abVariants: split(['a', 10], ['b', 20], ['a', 5]) });
    expect(keysOf(link)).toEqual(['1', '2', '3']);
    link = numbered(link, { abVariants: split(['b', 1], ['c', 1], ['a', 30]) });
    expect(keysOf(link)).toEqual(['2', '4', '1']);
    // An address that was removed and added again gets a new number.
    link = numbered(numbered(link, { abVariants: split(['b', 1]) }), {
      abVariants: split(['a', 1], ['b', 1]),
    });
    expect(keysOf(link)).toEqual(['5', '2']);
    expect(destinationNames(link)).toEqual({ 1: 'a', 2: 'b', 3: 'a', 4: 'c', 5: 'a' });
  });

  it('stay unchanged in a change that does not contain them', () => {
    const link = numbered(NO_DESTINATIONS, { abVariants: split(['a', 10]), geoRules: { DE: 'b' } });
    expect(numbered(link, {})).toEqual(link);
    expect(numbered(link, { geoRules: null })).toEqual({ ...link, geoRules: null });
  });

  it('are recognised by name, up to the newest hundred', () => {
    let link = numbered(NO_DESTINATIONS, {});
    for (let i = 1; i <= 130; i++) link = numbered(link, { abVariants: split([`u${i}`, 1]) });
    expect(link.goneDestinations).toHaveLength(100);
    expect(link.goneDestinations.at(0)).toEqual({ key: '30', url: 'u30' });
    expect(keysOf(link)).toEqual(['130']);
  });

  it.each<[string, NewVariant[], NewVariant[], number]>([
    ['50/50 to 60/40', split(['a', 50], ['b', 50]), split(['a', 60], ['b', 40]), 10],
    ['another order', split(['a', 30], ['b', 50]), split(['b', 50], ['a', 30]), 0],
    [
      'one of three',
      split(['a', 30], ['b', 30], ['c', 40]),
      split(['a', 40], ['b', 20], ['c', 40]),
      10,
    ],
    ['the first removed', split(['a', 30], ['b', 30]), split(['b', 30]), 30],
    ['one more', split(['a', 30]), split(['c', 20], ['a', 30]), 20],
  ])('move no more visitors than necessary: %s', (_, first, second, expected) => {
    const before = numbered(NO_DESTINATIONS, { abVariants: first });
    expect(moved(before, numbered(before, { abVariants: second }))).toBe(expected);
  });

  it('keep their weights and move only the necessary visitors through any series of changes', () => {
    const dice = new Dice(7);
    let link = numbered(NO_DESTINATIONS, {});
    for (let i = 0; i < 500; i++) {
      let left = 100;
      const some = dice.someOf(['a', 'b', 'c', 'd', 'e', 'f'], 6).flatMap((url) => {
        const weight = 1 + dice.below(50);
        left -= weight;
        return left < 0 ? [] : [{ url, weight }];
      });
      const after = numbered(link, { abVariants: some });
      const weightIn = (of: Destinations, url: string | null): number =>
        dealt(of).filter((one) => one === url).length;
      for (const { url, weight } of some) expect(weightIn(after, url)).toBe(weight);
      const grown = ['a', 'b', 'c', 'd', 'e', 'f', null].map((url) =>
        Math.max(0, weightIn(after, url) - weightIn(link, url)),
      );
      expect(moved(link, after)).toBe(grown.reduce((sum, more) => sum + more, 0));
      link = after;
    }
  });
});
