import {
  type Import,
  minutesLeft,
  neededOptions,
  plannedBy,
  runOptionsOf,
} from '../../../web/screens/import/standing';

const HISTORY = { clicks: 0, counted_clicks: 0, dropped_clicks: 0, links_with_history: 0 };
const OPTIONS = {
  on_conflict: 'skip',
  on_existing: 'skip',
  history: 'all',
  protected: 'inactive',
  timezone: 'UTC',
  tags: ['moved'],
};

function anImport(changes: object): Import {
  return {
    source: 'csv',
    counts: {},
    history: HISTORY,
    columns: [],
    options: OPTIONS,
    ...changes,
  } as unknown as Import;
}
const needed = (changes: object): string[] => [...neededOptions(anImport(changes))];

describe('the remaining time of an import from a service', () => {
  const NOW = Date.UTC(2026, 10, 21);
  const left = (done: number, total: number | null, changes: object = {}) => {
    const started_at = NOW / 1000 - 600;
    const progress = { done, total, unit: 'rows' };
    return minutesLeft(
      anImport({ base_url: 'https://x.test', started_at, progress, ...changes }),
      NOW,
    );
  };

  it('is calculated from the speed so far', () => {
    expect(left(100, 300)).toBe(20);
    expect(left(299, 300)).toBe(1);
  });

  it('is unknown before the first row, at the end, without a total, and for files', () => {
    expect(left(0, 300)).toBeNull();
    expect(left(100, null)).toBeNull();
    expect(left(300, 300)).toBeNull();
    expect(left(100, 300, { base_url: null })).toBeNull();
  });
});

describe('options of a checked import', () => {
  it('include only those that its rows need', () => {
    expect(needed({ counts: { created: 3, row_unreadable: 1 } })).toEqual(['tags']);
    expect(
      needed({
        counts: { alias_taken: 1, unchanged: 1, protected_inactive: 1 },
        history: { ...HISTORY, counted_clicks: 9 },
      }),
    ).toEqual(['on_conflict', 'on_existing', 'history', 'protected', 'tags']);
  });

  it.each([
    ['2024-02-03 04:05:06', true],
    ['2024/02/03', true],
    ['2024-02-03T04:05', true],
    ['2024-02-03T04:05:06Z', false],
    ['2024-02-03 04:05:06 +0100', false],
    ['1706933106', false],
    ['Summer 2024-02-03', false],
  ])('include the time zone for times such as %s: %s', (example, isNeeded) => {
    const columns = [{ name: 'created', examples: [example] }];
    expect(needed({ columns }).includes('timezone')).toBe(isNeeded);
  });

  it('determine how many links are written', () => {
    const one = anImport({
      counts: {
        created: 5,
        alias_taken: 3,
        unchanged: 20,
        protected_inactive: 2,
        row_unreadable: 9,
      },
    });
    const options = runOptionsOf(one);
    expect(plannedBy(one, options)).toBe(7);
    expect(plannedBy(one, { ...options, protected: 'skip' })).toBe(5);
    expect(plannedBy(one, { ...options, on_conflict: 'rename' })).toBe(10);
    expect(plannedBy(one, { ...options, on_existing: 'update' })).toBe(27);
  });
});
