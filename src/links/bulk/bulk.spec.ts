import {
  BadRequestError,
  CurtailError,
  DatabaseUnavailableError,
  NotFoundError,
  UnprocessableError,
} from '../../common/errors';
import { BulkDeleteDto, refuseManyPasswords, refuseOwnFields, toSelection } from './bulk.dto';
import { withinField } from './bulk.errors';
import { bulkAnswer, DONE, errorField, isUnfinishedRow, toVerdict } from './bulk.response';

const IDS = ['665f1c0e8b3a4d0012ab34cd', '665f1c0e8b3a4d0012ab34ce'];
const PLACES = { baseUrl: 'https://sho.rt', domains: [] };

describe('the link selection of a bulk request', () => {
  it('is a list of distinct ids in order, or a filter with the expected number', () => {
    const again = IDS[0]!.toUpperCase();
    expect(toSelection({ ids: [...IDS, again] }, PLACES)).toEqual({ ids: IDS });
    const filter = { status: 'INACTIVE' };
    expect(toSelection({ filter, expected: 0 }, PLACES)).toEqual({ filter, expected: 0 });
  });

  it.each<[string, BulkDeleteDto, number, string]>([
    ['neither', {}, 422, 'ids'],
    ['both', { ids: IDS, filter: {}, expected: 2 }, 422, 'ids'],
    ['a filter without a number', { filter: {} }, 422, 'expected'],
    ['a text that is not an id', { ids: [IDS[0]!, 'x'] }, 400, 'ids.1'],
  ])('is rejected as %s', (_, body, status, field) => {
    expect(() => toSelection(body, PLACES)).toThrow(expect.objectContaining({ status, field }));
  });
});

describe('the changes in a bulk request', () => {
  it.each<[object, boolean, string | null]>([
    [{ title: 'x', tags: [] }, false, null],
    [{ title: 'x' }, true, null],
    [{ tags: [] }, true, 'tags'],
    [{ alias: null }, false, 'alias'],
    [{ password: undefined }, false, 'password'],
    [{ utm: {} }, true, 'utm'],
  ])('%j, together with moved tags: %s, are rejected at %s', (set, movesTags, field) => {
    const refusing = expect(() => refuseOwnFields(set, movesTags));
    if (field === null) refusing.not.toThrow();
    else refusing.toThrow(expect.objectContaining({ status: 422, field }));
  });

  it('contain at most ten different passwords', () => {
    const items = Array.from({ length: 10 }, (_, i) => ({ password: `password ${i}` }));
    const others = [...items, { password: 'password 0' }, { password: null }, {}];
    expect(() => refuseManyPasswords(others)).not.toThrow();
    const more = [...others, { password: 'another' }];
    expect(() => refuseManyPasswords(more)).toThrow(expect.objectContaining({ field: 'links' }));
  });
});

describe('an error inside a field', () => {
  const within = (error: unknown): Promise<unknown> =>
    withinField('set', () => Promise.reject(error as Error)).catch((thrown: unknown) => thrown);

  it.each<[string, Error, unknown]>([
    ['of a value', UnprocessableError.forField('title', 'is long'), { field: 'set.title' }],
    [
      'of several',
      new UnprocessableError([
        { field: 'title', error: 'is long' },
        { field: 'tags.1', error: 'is empty' },
      ]),
      { details: [{ field: 'set.title' }, { field: 'set.tags.1' }] },
    ],
    ['with 400', new BadRequestError('No', 'tags'), { status: 400, field: 'set.tags' }],
    ['of nothing named', new BadRequestError('No'), { field: 'set' }],
  ])('%s contains the name of the field', async (_, error, expected) => {
    expect(await within(error)).toMatchObject(expected as object);
  });

  it.each([
    ['404', new NotFoundError()],
    ['a fault', new Error('a fault')],
  ])('leaves %s unchanged', async (_, error) => {
    expect(await within(error)).toBe(error);
  });
});

describe('the result for a link', () => {
  const away = Object.assign(new Error('away'), { name: 'MongoNetworkError' });

  it.each<[string, unknown, string, boolean]>([
    ['an unknown link', new NotFoundError(), 'not_found', false],
    ['another account’s', new CurtailError(403, 'forbidden', 'No'), 'forbidden', false],
    ['a taken alias', new CurtailError(409, 'conflict', 'Taken'), 'conflict', false],
    ['a bad value', UnprocessableError.forField('title', 'No'), 'validation_error', false],
    ['400', new BadRequestError('No', 'tags'), 'validation_error', false],
    ['a database that is down', away, 'not_attempted', true],
    ['503', new DatabaseUnavailableError(), 'not_attempted', true],
    ['a fault', new Error('secret'), 'internal', true],
  ])(
    'for %s contains the reason, and whether a retry may succeed',
    (_, error, error_code, unfinished) => {
      const verdict = toVerdict(error);
      expect(verdict).toMatchObject({ ok: false, error_code });
      expect(verdict.error).not.toMatch(/secret|away$/);
      expect(isUnfinishedRow(verdict)).toBe(unfinished);
    },
  );

  it('contains the first rejected field', () => {
    const problems = ['title', 'note'].map((field) => ({ field, error: 'is long' }));
    expect(errorField(new UnprocessableError(problems))).toBe('title');
    expect(errorField(new BadRequestError('No', 'tags'))).toBe('tags');
    expect([errorField(new NotFoundError()), errorField(new Error('a fault'))]).toEqual([
      null,
      null,
    ]);
  });

  it('is counted in the totals of the response', () => {
    const rows = [DONE, toVerdict(new NotFoundError()), DONE];
    expect(bulkAnswer(rows)).toEqual({
      summary: { total: 3, succeeded: 2, failed: 1 },
      results: rows,
    });
    expect(isUnfinishedRow(DONE)).toBe(false);
  });
});
