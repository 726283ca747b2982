import fc from 'fast-check';
import { mergeUtm, type RequestedUtm, UTM_FIELDS, type UtmValues } from './utm';

const VALUES = { source: 'news', medium: 'e mail', campaign: 'spring & sale' };
const TAGS = 'utm_source=news&utm_medium=e%20mail&utm_campaign=spring%20%26%20sale';

describe('A destination with utm parameters', () => {
  it.each([
    ['https://x.test', `https://x.test?${TAGS}`],
    ['https://x.test/a?', `https://x.test/a?${TAGS}`],
    ['https://x.test/a?b', `https://x.test/a?b&${TAGS}`],
    ['https://x.test/a?b&', `https://x.test/a?b&${TAGS}`],
    ['https://x.test/a?&', `https://x.test/a?&${TAGS}`],
    ['https://x.test/a?b=?#c?d#e', `https://x.test/a?b=?&${TAGS}#c?d#e`],
    ['https://x.test/#?utm_source=x', `https://x.test/?${TAGS}#?utm_source=x`],
    ['https://x.test/?utm_sourcery=x', `https://x.test/?utm_sourcery=x&${TAGS}`],
    ['https://x.test/??utm_source=x', `https://x.test/??utm_source=x&${TAGS}`],
    ['https://x.test/?UTM_SOURCE=x', `https://x.test/?UTM_SOURCE=x&${TAGS}`],
  ])('%s gets the missing parameters at the end of its query', (longUrl, merged) =>
    expect(mergeUtm(longUrl, VALUES)).toBe(merged),
  );

  const present =
    'https://x.test/?utm_medium=a+b&z=%7e&utm%5Fsource&utm_campaign=&utm_source=2&y#f';

  it('keeps its existing parameters, including empty and escaped ones', () => {
    expect(mergeUtm(present, VALUES)).toBe(present);
    expect(mergeUtm(present, { ...VALUES, overwrite: false, term: 'x' })).toBe(
      present.replace('#', '&utm_term=x#'),
    );
  });

  it('gets the new values in place of the old ones on request, each once', () => {
    const { source, medium } = VALUES;
    expect(mergeUtm(present, { source, medium, overwrite: true })).toBe(
      'https://x.test/?utm_medium=e%20mail&z=%7e&utm_source=news&utm_campaign=&y#f',
    );
  });

  it('gets the values of a template that the request does not contain', () => {
    const utm = { source: 'own', medium: null };
    const template = { source: 'shared', medium: 'cpc', campaign: null };
    expect(mergeUtm('https://x.test/', utm, template)).toBe(
      'https://x.test/?utm_source=own&utm_medium=cpc',
    );
  });
});

describe('5,000 destinations and utm objects', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 });
  const value = fc.oneof(text, fc.constantFrom("'()*!~", 'a+b=c&d#e?f', '%41', '🦊 é'));
  const raw = fc
    .array(fc.constantFrom('a', 'b', '=', '+', ';', '?', '/', '[', '%', '%20', '%zz', 'é', '🦊'), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''));
  const name = fc.constantFrom(
    ...UTM_FIELDS.map((field) => `utm_${field}`),
    'utm%5fsource',
    '%75tm_mediu%6D',
    'UTM_SOURCE',
    'utm_source%20',
    'utm_id',
    'utm',
  );
  const pair = fc.oneof(
    raw,
    name,
    fc.tuple(name, raw).map(([key, rest]) => `${key}=${rest}`),
  );
  const destination = fc
    .record({
      address: fc.constantFrom(
        'https://x.test',
        'http://é.test:8080/utm_source=1/%7e',
        'https://[::1]/&',
      ),
      pairs: fc.option(fc.array(pair, { maxLength: 8 })),
      fragment: fc.option(fc.oneof(raw, fc.constant('?utm_source=1&a#b'))),
    })
    .map(({ address, pairs, fragment }) => ({
      address,
      query: pairs === null ? '' : `?${pairs.join('&')}`,
      fragment: fragment === null ? '' : `#${fragment}`,
    }));
  const values = fc.record(
    Object.fromEntries(UTM_FIELDS.map((field) => [field, fc.option(value)])),
    { requiredKeys: [] },
  ) as fc.Arbitrary<UtmValues>;

  /** Returns the parameters that a form parser reads, with their original spelling. */
  const parametersOf = (query: string) =>
    query
      .slice(1)
      .split('&')
      .map((spelled) => {
        const [[key, decoded] = ['', '']] = new URLSearchParams(`&${spelled}`);
        return { spelled, key, decoded };
      });

  it('match a model, and all other text stays unchanged', () => {
    fc.assert(
      fc.property(
        destination,
        values,
        fc.option(values),
        fc.boolean(),
        ({ address, query, fragment }, own, template, overwrite) => {
          const merged = mergeUtm(address + query + fragment, { ...own, overwrite }, template);

          expect(merged.startsWith(address)).toBe(true);
          expect(merged.endsWith(fragment)).toBe(true);
          const mergedQuery = merged.slice(address.length, merged.length - fragment.length);
          const before = parametersOf(query);
          const after = parametersOf(mergedQuery);
          const asked = UTM_FIELDS.flatMap((field) => {
            const wanted = own[field] ?? template?.[field] ?? null;
            return wanted === null ? [] : [{ key: `utm_${field}`, wanted }];
          });

          const expected = before.flatMap((one, at) => {
            const wish = asked.find(({ key }) => key === one.key);
            if (wish === undefined || !overwrite) return [one];
            if (before.findIndex(({ key }) => key === one.key) < at) return [];
            return [newParameter(wish)];
          });
          const missing = asked.filter((wish) => before.every(({ key }) => key !== wish.key));
          const open = missing.length > 0 && expected.at(-1)?.spelled === '';
          expect(after).toEqual([
            ...(open ? expected.slice(0, -1) : expected),
            ...missing.map(newParameter),
          ]);
          expect(new URL(merged).hash).toBe(new URL(address + query + fragment).hash);
          expect(mergeUtm(merged, { ...own, overwrite }, template)).toBe(merged);
        },
      ),
      { numRuns: 1500 },
    );
  });

  const newParameter = ({ key, wanted }: { key: string; wanted: string }) => ({
    spelled: `${key}=${encodeURIComponent(wanted)}`,
    key,
    decoded: wanted,
  });
});

it('are merged with values that requests may omit', () => {
  const nothing: RequestedUtm = { source: null, overwrite: null };
  expect(mergeUtm('https://x.test/?', nothing)).toBe('https://x.test/?');
  expect(mergeUtm('https://x.test/?', nothing, { medium: null })).toBe('https://x.test/?');
});
