import { randomBytes } from 'node:crypto';
import { DestinationChooser } from '../src/destinations/destination-chooser';
import { type GeoRules, NO_DESTINATIONS } from '../src/destinations/destinations';
import { numbered } from '../src/destinations/numbering';
import { GeoReader } from '../src/infrastructure/geoip/geo.reader';
import { acceptLanguageOf, queryOf } from '../test/support/shared/expected-destination';
import { aMadeUpRule, aMadeUpVisit, Dice } from '../test/support/shared/made-up-visits';
import { size } from './support/flags';
import { report, rounded, runBench } from './support/report';

// Time to decide the destination of a link with 12 non-matching rules and variants, with and
// without countries, for visits from 5,000 addresses.
const VISITS = size('visits', 50_000, 5000);
const RULES = 12;
const ADDRESSES = 5000;
const FIELDS = ['device', 'os', 'browser', 'language', 'query', 'time'] as const;
const VARIANTS = [{ url: 'https://example.com/b', weight: 50 }];
const COUNTRIES = { DE: 'https://example.com/de' };

async function timesWith(geoRules: GeoRules | null): Promise<number[]> {
  const dice = new Dice(11);
  const reader = GeoReader.open();
  const codeOf = (address: string): string | null => reader.locate(address).countryCode;
  const key = Promise.resolve(randomBytes(32));
  const chooser = new DestinationChooser({ codeOf } as never, { findOrMake: () => key } as never);
  const rules = Array.from({ length: RULES }, (_, i) => {
    const rule = aMadeUpRule(dice, i, FIELDS);
    return { ...rule, when: [...rule.when, { field: 'query', name: 'never' } as const] };
  });
  const destinations = numbered(NO_DESTINATIONS, { rules, geoRules, abVariants: VARIANTS });
  const link = { id: '665f1c0e8b3a4d0012ab34cd', location: 'https://example.com/', destinations };
  await chooser.preparation(destinations);
  const addresses = Array.from({ length: ADDRESSES }, () =>
    [1 + dice.below(220), dice.below(256), dice.below(256), dice.below(256)].join('.'),
  );
  const visits = Array.from({ length: VISITS }, () => {
    const visit = aMadeUpVisit(dice);
    const [language, query] = [acceptLanguageOf(visit), queryOf(visit)];
    return {
      at: visit.at,
      userAgent: visit.userAgent,
      language,
      query,
      address: dice.oneOf(addresses),
    };
  });
  const times = visits.map((visiting) => {
    const begun = performance.now();
    chooser.choose(link, visiting);
    return (performance.now() - begun) * 1000;
  });
  reader.close();
  return times.sort((one, other) => one - other);
}

runBench(async () => {
  const figures: Record<string, unknown> = { visits: VISITS };
  for (const [name, geoRules] of [
    ['plain', null],
    ['countries', COUNTRIES],
  ] as const) {
    const times = await timesWith(geoRules);
    const at = (part: number): number => rounded(times[Math.floor(VISITS * part)] ?? 0, 1);
    figures[name] = { medianUs: at(0.5), p99Us: at(0.99) };
  }
  report('decision', figures);
});
