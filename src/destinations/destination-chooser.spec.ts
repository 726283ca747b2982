import { randomBytes } from 'node:crypto';
import type { CountryLookup } from '../infrastructure/geoip/country-lookup';
import { DestinationChooser, type ChoosingLink } from './destination-chooser';
import { type NewVariant, NO_DESTINATIONS } from './destinations';
import { numbered } from './numbering';
import type { VariantKeyRepository } from './variant-key.repository';

const KEY = randomBytes(32);
const VISITORS = 40_000;

async function aChooser(
  key = KEY,
  findOrMake = jest.fn(() => Promise.resolve(key)),
): Promise<DestinationChooser> {
  const countries = { findCountryCode: () => null } as unknown as CountryLookup;
  const chooser = new DestinationChooser(countries, {
    findOrMake,
  } as unknown as VariantKeyRepository);
  await chooser.preparation({
    abVariants: aLink([{ url: 'a', weight: 1 }]).destinations.abVariants,
  });
  return chooser;
}

const aLink = (abVariants: NewVariant[], before = NO_DESTINATIONS): ChoosingLink => ({
  id: '665f1c0e8b3a4d0012ab34cd',
  location: 'https://example.com/',
  destinations: numbered(before, { abVariants }),
});
const split = (a: number, b: number): NewVariant[] => [
  { url: 'https://example.com/a', weight: a },
  { url: 'https://example.com/b', weight: b },
];
const keysFor = (
  chooser: DestinationChooser,
  link: ChoosingLink,
  visitors = VISITORS,
): (string | null)[] =>
  Array.from({ length: visitors }, (_, i) => {
    const visiting = { at: 0, address: `10.0.0.${i}`, userAgent: 'x', language: '', query: '' };
    return chooser.choose(link, visiting).key;
  });
const count = (keys: readonly (string | null)[], key: string | null): number =>
  keys.filter((one) => one === key).length;

describe('The visitors of a link with variants', () => {
  it('are split by weight, within 1 %, and move only as far as the weights change', async () => {
    const [chooser, elsewhere] = [await aChooser(), await aChooser()];
    const even = aLink(split(50, 50));
    const before = keysFor(chooser, even);
    expect(Math.abs(count(before, '1') / VISITORS - 0.5)).toBeLessThan(0.01);
    expect(count(before, '1') + count(before, '2')).toBe(VISITORS);
    // Another machine with the same key makes the same choices.
    expect(keysFor(elsewhere, aLink(split(50, 50))).join()).toBe(before.join());
    const after = keysFor(chooser, aLink(split(60, 40), even.destinations));
    const moved = before.filter((key, i) => key !== after[i]).length;
    expect(Math.abs(moved / VISITORS - 0.1)).toBeLessThan(0.01);
  });

  it('are split differently for another link, browser or installation', async () => {
    const link = aLink(split(50, 0));
    const keys = keysFor(await aChooser(), link, 1000);
    const others = keysFor(await aChooser(randomBytes(32)), link, 1000);
    const ofAnother = keysFor(await aChooser(), { ...link, id: 'f'.repeat(24) }, 1000);
    for (const different of [others, ofAnother]) {
      const same = keys.filter((key, i) => key === different[i]).length;
      expect(Math.abs(same - 500)).toBeLessThan(100);
    }
  });

  it('are split with a key that is read once, when first needed, and again after a failure', async () => {
    const findOrMake = jest
      .fn(() => Promise.resolve(KEY))
      .mockRejectedValueOnce(new Error('the database is down'));
    const chooser = new DestinationChooser(
      {} as CountryLookup,
      {
        findOrMake,
      } as unknown as VariantKeyRepository,
    );
    const { abVariants } = aLink(split(1, 1)).destinations;
    expect(chooser.preparation(NO_DESTINATIONS)).toBeNull();
    await expect(chooser.preparation({ abVariants })).rejects.toThrow('down');
    await Promise.all([chooser.preparation({ abVariants }), chooser.preparation({ abVariants })]);
    expect(chooser.preparation({ abVariants })).toBeNull();
    expect(findOrMake).toHaveBeenCalledTimes(2);
  });
});
