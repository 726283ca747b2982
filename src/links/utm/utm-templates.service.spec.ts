import { principalWith } from '../../../test/support/shared/domain-values';
import type { UtmTemplate } from './utm-template';
import {
  EmptyUtmTemplateError,
  NoSuchTemplateError,
  UnknownUtmTemplateError,
  UtmTemplateCapError,
} from './utm.errors';
import { UtmTemplatesService } from './utm-templates.service';

const CALLER = principalWith();
const template = (name: string, id: string) => ({ name, id, source: 'news' }) as UtmTemplate;
const ID = 'abcdef'.repeat(4);

describe('UTM templates', () => {
  let found: UtmTemplate | null;
  let taken: Set<number>;
  let contended: Set<number>;
  const change = jest.fn<Promise<UtmTemplate | null>, []>();
  const findByOwner = jest.fn<Promise<UtmTemplate[]>, []>();
  const service = new UtmTemplatesService({
    findByOwner,
    findOwn: () => Promise.resolve(found),
    takenPlaces: () => Promise.resolve(taken),
    insert: (created: UtmTemplate, _: string, place: number) =>
      Promise.resolve(contended.has(place) ? null : { ...created, name: `${place}` }),
    change,
    remove: () => Promise.resolve(found !== null),
  } as never);
  const places = (count: number) => new Set(Array.from({ length: count }, (_, i) => i));

  beforeEach(() => {
    found = null;
    taken = new Set();
    contended = new Set();
  });

  it('are listed by name without regard to case, and equal names by age', async () => {
    findByOwner.mockResolvedValueOnce([
      template('spring', '2'),
      template('Spring', '4'),
      template('spring', '1'),
      template('Ads', '3'),
      template('Zoo', '0'),
    ]);
    const ids = (await service.list(CALLER)).map(({ id }) => id);
    expect(ids).toEqual(['3', '1', '2', '4', '0']);
  });

  it.each<[string, Set<number>, Set<number>, string | null]>([
    ['the first place', new Set(), new Set(), '0'],
    ['the first free place', new Set([0, 1, 3]), new Set(), '2'],
    ['the next place if a concurrent request takes it', new Set([0]), new Set([1, 2]), '3'],
    ['the last of a hundred', places(99), new Set(), '99'],
    ['none if a hundred are taken', places(100), new Set(), null],
    ['none if concurrent requests take all', places(90), places(100), null],
  ])('accept %s', async (_, takenPlaces, contendedPlaces, place) => {
    taken = takenPlaces;
    contended = contendedPlaces;
    const creation = service.create({} as never, CALLER, { id: ID, isRepeated: false });
    if (place === null) await expect(creation).rejects.toThrow(UtmTemplateCapError);
    else expect(await creation).toMatchObject({ id: ID, name: place });
  });

  it('from an earlier attempt are returned, even if the maximum is reached', async () => {
    found = template('earlier', ID);
    taken = places(100);
    expect(await service.create({} as never, CALLER, { id: ID, isRepeated: true })).toBe(found);
  });

  it.each([
    ['that would become empty', template('x', ID), EmptyUtmTemplateError],
    ['that do not exist', null, UnknownUtmTemplateError],
  ])('%s stay unchanged', async (_, stored, error) => {
    found = stored;
    change.mockResolvedValueOnce(null);
    await expect(service.change(ID, { source: null }, CALLER)).rejects.toThrow(error);
  });

  it.each([
    ['a template of the account', ID, true],
    ['its id in capitals', ID.toUpperCase(), true],
    ['a name', 'spring', false],
    ['an empty text', '', false],
  ])('are found for a link by %s: %s', async (_, id, isFound) => {
    found = template('x', ID);
    const values = service.findValues(id, CALLER.ownerId);
    if (isFound) expect(await values).toBe(found);
    else await expect(values).rejects.toThrow(NoSuchTemplateError);
  });

  it('that are unknown cannot be used or removed', async () => {
    await expect(service.findValues(ID, CALLER.ownerId)).rejects.toThrow(NoSuchTemplateError);
    await expect(service.remove(ID, CALLER)).rejects.toThrow(UnknownUtmTemplateError);
  });
});
