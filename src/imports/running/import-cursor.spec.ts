import { DEFAULT_OPTIONS } from '../store/import';
import { shownCounts } from './import-cursor';

describe('The counts of an import', () => {
  const counts = { created: 500 };

  it.each([
    ['check', true, { counts }],
    ['check', false, {}],
    ['look', false, {}],
    ['write', false, { counts }],
    ['write', true, { counts }],
  ] as const)('in a %s with dry_run %s are %j', (pass, dry_run, shown) => {
    const options = { ...DEFAULT_OPTIONS, dry_run };
    expect(shownCounts({ options }, pass, counts)).toEqual(shown);
  });
});
