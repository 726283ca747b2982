import { aClick } from '../../../test/support/shared/click.factory';
import { TOTAL_ALONE } from '../../stores/imported-counts/imported-counts';
import { countsByDay } from './visit-counts';

const about = { importId: 'i', ownerId: 'o', source: 'curtail' };
const at = (text: string): number => Date.parse(text);
const list = [aClick({ at: at('2024-01-31T10:00Z') }), aClick({ at: at('2024-02-01T10:00Z') })];
const singles = { total: 12, taken: 2 };

describe('Individual clicks as counts', () => {
  it("are counted by UTC day and by value, with the source's total", () => {
    const total = { ...about, ...TOTAL_ALONE, linkId: 'l', clicks: 10 };
    for (const counts of [null, total]) {
      expect(countsByDay(about)({ id: 'l', counts }, { list }, singles)).toMatchObject({
        ...{ linkId: 'l', clicks: 12, granularity: 'day', timezone: 'UTC' },
        ...{ from: list[0]?.at, to: list[1]?.at },
        units: { starts: [at('2024-01-31'), at('2024-02-01')], clicks: [1, 1] },
        by: { country: new Map([['Germany', 2]]), referrer: new Map([['Direct', 2]]) },
      });
    }
  });

  it('are added to the monthly counts that an account export may contain', () => {
    const counts = {
      ...{ ...about, ...TOTAL_ALONE, linkId: 'l', clicks: 10 },
      granularity: 'month' as const,
      units: { starts: [at('2024-01-01')], clicks: [10] },
    };
    expect(countsByDay(about)({ id: 'l', counts }, { list }, singles)).toMatchObject({
      ...{ clicks: 12, granularity: 'month' },
      units: { starts: [at('2024-01-01'), at('2024-02-01')], clicks: [11, 1] },
    });
  });
});
