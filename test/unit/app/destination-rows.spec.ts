import { destinationRows, weightOf } from '../../../web/stats/destinations';

const rule = (key: string) => ({ key });
const variant = (key: string, weight: number) => ({ key, weight });
const row = (label: string) => ({ label, clicks: 1, visitors: 1 });
const labels = (rows: readonly { label: string }[]) => rows.map(({ label }) => label);
const ROWS = ['(default)', 'r1', '2', 'geo', '1'].map(row);

describe('Destinations in statistics', () => {
  it('are listed as shares with the main destination, and as rules and countries', () => {
    const link = { rules: [rule('r1')], ab_variants: [variant('2', 40)] };
    const { split, ways } = destinationRows(ROWS, link);
    expect([labels(split), labels(ways)]).toEqual([
      ['(default)', '2', '1'],
      ['r1', 'geo'],
    ]);
    expect(['2', '1', '(default)'].map((key) => weightOf(key, link))).toEqual([40, undefined, 60]);
  });

  it('are not shares without variants, and omit a main destination without a share', () => {
    const rows = ROWS.filter(({ label }) => !['1', '2'].includes(label));
    const none = destinationRows(rows, { rules: [rule('r1')], ab_variants: null });
    expect([none.split, labels(none.ways)]).toEqual([[], ['(default)', 'r1', 'geo']]);
    const full = destinationRows(ROWS, { rules: null, ab_variants: [variant('2', 100)] });
    expect(labels(full.split)).toEqual(['2', '1']);
    expect(destinationRows([row('(default)')], { rules: null, ab_variants: null }).ways).toEqual(
      [],
    );
  });
});
