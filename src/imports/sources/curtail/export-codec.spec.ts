import fc from 'fast-check';
import {
  aClick,
  clickArbitrary,
  NOTHING_KNOWN,
} from '../../../../test/support/shared/click.factory';
import { NO_REDIRECT_MS, SIGNALS } from '../../../engines/click-engine/chunk/click';
import {
  clickLine,
  clickOfLine,
  CountsDecoder,
  countLines,
  numberedClickLine,
  splitClickLine,
  timeOfLine,
  visitorOfLine,
} from './export-codec';

const ID = '64b000000000000000000001';
const fieldsOf = (line: string) => JSON.parse(line) as Record<string, unknown>;

describe('a line about a click', () => {
  it.each([
    ['every value', aClick({ city: 'Köln', utmSource: 'mail', variant: 'r1', redirectMs: 9 })],
    ['no value', aClick({ ...NOTHING_KNOWN, redirectMs: NO_REDIRECT_MS })],
    ['a bot', aClick({ botName: 'Googlebot' })],
    ['a previewer', aClick({ botName: 'Slackbot', signals: SIGNALS.previewer })],
    ['a prefetch through a QR code', aClick({ signals: SIGNALS.prefetch | SIGNALS.qrCode })],
  ])('is read as it was written: %s', (_, click) => {
    const fields = fieldsOf(clickLine(ID, click, 5));
    const { at, visitor, ...known } = click;
    expect([timeOfLine(fields), visitorOfLine(fields), visitor]).toEqual([at, 5, visitor]);
    expect(clickOfLine(fields, true)).toEqual(known);
    const isExempt = known.botName !== null || (known.signals & SIGNALS.prefetch) !== 0;
    const signals = known.signals | (isExempt ? SIGNALS.exempt : 0);
    expect(clickOfLine(fields, false)).toEqual({ ...known, signals });
  });

  it('is the same with the visitor number in place of the hash', () => {
    fc.assert(
      fc.property(clickArbitrary, (click) => {
        const written = splitClickLine(clickLine(ID, click, click.visitor).trimEnd());
        expect(written).toMatchObject({ linkId: ID, visitor: click.visitor });
        expect(numberedClickLine(written, 7)).toBe(clickLine(ID, click, 7));
        const unknown = splitClickLine(clickLine(ID, click, null).trimEnd());
        expect(numberedClickLine(unknown, null)).toBe(clickLine(ID, click, null));
      }),
    );
  });

  it('may contain Unicode line separators', () => {
    const rest = '"utm_campaign":"a\u2028b\u2029c"';
    const line = `{"url_id":"${ID}","time":"","visitor":null,${rest}}`;
    expect(splitClickLine(line)).toMatchObject({ linkId: ID, rest });
  });
});

describe('lines about counts', () => {
  const counts = {
    ...{ linkId: ID, ownerId: 'o', importId: 'i', source: 'bitly_api', clicks: 12 },
    granularity: 'day',
    timezone: 'Asia/Tokyo',
    ...{ from: 1000, to: 90_000_000 },
    units: { starts: [0, 86_400_000], clicks: [3, 9] },
    by: {
      country: new Map([
        ['Chad', 5],
        ['France', 5],
        ['Peru', 7],
      ]),
    },
  } as const;
  const decoded = (lines: readonly string[]) => {
    const decoder = new CountsDecoder();
    for (const line of lines) decoder.add(fieldsOf(line));
    return decoder.build();
  };

  it('can be read as they were written, with the most frequent values first', () => {
    const written = [...countLines(counts)];
    const { granularity, timezone, from, to, units, by } = counts;
    const series = { granularity, timezone, from, to, units, by };
    expect(decoded(written)).toEqual({ source: 'bitly_api', clicks: 12, series });
    const values = written.flatMap((line) => fieldsOf(line).value ?? []);
    expect(values).toEqual(['Peru', 'Chad', 'France']);
  });

  it.each([
    ['no lines', []],
    ['an unknown zone', [{ source: 'csv', clicks: 1, granularity: 'day', timezone: 'Moon' }]],
    ['no source', [{ clicks: 1, granularity: 'day', timezone: 'UTC' }]],
    ['no clicks', [{ source: 'csv', clicks: -1, granularity: 'total', timezone: 'UTC' }]],
  ])('are ignored with %s', (_, lines) => {
    expect(decoded(lines.map((line) => JSON.stringify(line)))).toBeNull();
  });
});
