import { readOptions, readSource, runOptions } from './import-options';
import { DEFAULT_OPTIONS } from './store/import';

const problem = (field: string) => expect.objectContaining({ field }) as Error;

describe('The options of an import', () => {
  it.each([undefined, '', '{}'])('have default values for %j', (text) => {
    expect(readOptions(text)).toEqual(DEFAULT_OPTIONS);
  });

  it.each<[object, object]>([
    [{ dry_run: false }, { dry_run: false }],
    [{ on_conflict: 'rename', on_existing: 'update' }, {}],
    [{ history: 'counts', protected: 'skip', timezone: 'Europe/Berlin' }, {}],
    [{ short_domain: 'GO.test' }, { short_domain: 'go.test' }],
    [{ short_domain: null }, { short_domain: null }],
    [{ tags: [' Red ', 'red', 'blue'] }, { tags: ['Red', 'blue'] }],
    [{ mapping: { alias: 'A', title: null } }, {}],
  ])('%j are read', (given, changed) => {
    expect(readOptions(JSON.stringify(given))).toEqual({
      ...DEFAULT_OPTIONS,
      ...given,
      ...changed,
    });
  });

  it.each<[string, string, number]>([
    ['{', 'options', 422],
    ['[]', 'options', 422],
    ['null', 'options', 422],
    ['{"colour":1}', 'options.colour', 422],
    ['{"__proto__":1}', 'options.__proto__', 422],
    ['{"dry_run":"yes"}', 'options.dry_run', 422],
    ['{"on_conflict":"x"}', 'options.on_conflict', 422],
    ['{"on_existing":5}', 'options.on_existing', 422],
    ['{"history":null}', 'options.history', 422],
    ['{"protected":"all"}', 'options.protected', 422],
    ['{"timezone":5}', 'options.timezone', 422],
    ['{"timezone":"Mars/X"}', 'options.timezone', 400],
    ['{"short_domain":""}', 'options.short_domain', 422],
    [`{"short_domain":"${'x'.repeat(254)}"}`, 'options.short_domain', 422],
    ['{"tags":"red"}', 'options.tags', 422],
    ['{"tags":["a,b"]}', 'options.tags', 422],
    [JSON.stringify({ tags: Array.from({ length: 21 }, (_, i) => `${i}`) }), 'options.tags', 422],
    ['{"mapping":[]}', 'options.mapping', 422],
    ['{"mapping":{"z":"url"}}', 'options.mapping.z', 422],
    ['{"mapping":{"alias":5}}', 'options.mapping.alias', 422],
  ])('%s are rejected at %s', (text, field, status) => {
    expect(() => readOptions(text)).toThrow(problem(field));
    expect(() => readOptions(text)).toThrow(expect.objectContaining({ status }) as Error);
  });

  it('may change before a run, except those that the check depends on', () => {
    expect(runOptions(DEFAULT_OPTIONS, undefined)).toBe(DEFAULT_OPTIONS);
    expect(runOptions(DEFAULT_OPTIONS, { history: 'none' })).toEqual({
      ...DEFAULT_OPTIONS,
      history: 'none',
    });
    const fixed = { dry_run: false, short_domain: null, mapping: {} };
    for (const [name, value] of Object.entries(fixed)) {
      expect(() => runOptions(DEFAULT_OPTIONS, { [name]: value })).toThrow(
        problem(`options.${name}`),
      );
    }
  });

  it('must contain a known source', () => {
    expect(readSource('kutt_api')).toBe('kutt_api');
    for (const source of ['tinyurl', undefined, 5]) {
      expect(() => readSource(source)).toThrow(problem('source'));
    }
  });
});
