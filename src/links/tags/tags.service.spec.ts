import { principalWith } from '../../../test/support/shared/domain-values';
import { type Tag, tagKey } from '../../stores/tags/tag';
import { TagNameTakenError, UnknownTagError } from '../../stores/tags/tags.errors';
import { TagsService } from './tags.service';

const CALLER = principalWith();
const tag = (name: string, id = name): Tag => ({
  id,
  name,
  key: tagKey(name),
  color: 'grey',
  createdAt: new Date(0),
});
const ALL = [tag('Alpha'), tag('beta Two'), tag('Gamma'), tag('Café')];
const COUNTS = new Map([
  ['beta Two', { links: 2, importedClicks: 0 }],
  ['Gamma', { links: 7, importedClicks: 40 }],
]);

describe('The tags of an account', () => {
  const make = jest.fn<Promise<Tag | null>, [string, { id: string; name: string }, string]>();
  const change = jest.fn<Promise<Tag | 'taken' | null>, unknown[]>();
  const findOwn = jest.fn<Promise<Tag | null>, unknown[]>(() => Promise.resolve(null));
  const remove = jest.fn(() => Promise.resolve(true));
  const untag = jest.fn();
  const forget = jest.fn();
  const service = new TagsService(
    { findTags: () => Promise.resolve({ all: ALL }), make, forget } as never,
    { change, findOwn, remove } as never,
    { untag } as never,
    { countByTag: () => Promise.resolve(COUNTS) } as never,
  );
  const names = async (query: object) =>
    (await service.list(query as never, CALLER)).tags.map(({ name }) => name);

  beforeEach(() => jest.clearAllMocks());

  it.each([
    ['all, by name', {}, ['Alpha', 'beta Two', 'Gamma', 'Café']],
    ['by links, then by name', { sortBy: 'links' }, ['Gamma', 'beta Two', 'Alpha', 'Café']],
    ['by a part in any case', { search: 'A TW' }, ['beta Two']],
    ['by a part in another Unicode form', { search: 'e\u0301' }, ['Café']],
    ['none', { search: 'nothing' }, []],
  ])('are listed: %s', async (_, query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('are created with a trimmed name', async () => {
    make.mockImplementationOnce((_, { id, name }) => Promise.resolve(tag(name, id)));
    const chosen = { id: 'new', isRepeated: false };
    const created = await service.create({ name: ' a   b ' }, CALLER, chosen);
    expect(created).toMatchObject({ id: 'new', name: 'a b', links: 0 });
  });

  it.each([
    ['the tag of an earlier try', true, tag('Gamma'), 7],
    ['409 for a name that is taken', false, null, null],
    ['409 for a repeated request whose tag is gone', true, null, null],
  ])('are created: the response is %s', async (_, isRepeated, before, links) => {
    findOwn.mockResolvedValueOnce(before);
    make.mockResolvedValueOnce(null);
    const creation = service.create({ name: 'Gamma' }, CALLER, {
      id: 'Gamma',
      isRepeated,
    });
    if (links === null) await expect(creation).rejects.toThrow(TagNameTakenError);
    else expect(await creation).toMatchObject({ id: 'Gamma', links });
  });

  it.each([
    ['a name, in its stored form', { name: ' New  name' }, { name: 'New name', key: 'new name' }],
    ['a color', { color: 'teal' }, { color: 'teal' }],
    ['nothing for null', { name: null, color: null }, {}],
    ['nothing for an empty body', {}, {}],
  ])('are changed: %s', async (_, body, stored) => {
    change.mockResolvedValueOnce(tag('Gamma'));
    expect(await service.update('Gamma', body as never, CALLER)).toMatchObject({ links: 7 });
    expect(change).toHaveBeenCalledWith(CALLER.ownerId, 'Gamma', stored);
    expect(forget).toHaveBeenCalledWith(CALLER.ownerId);
  });

  it.each([
    ['unknown', null, UnknownTagError],
    ['of a taken name', 'taken' as const, TagNameTakenError],
  ])('cannot be changed if they are %s', async (_, outcome, error) => {
    change.mockResolvedValueOnce(outcome);
    await expect(service.update('x', { name: 'Alpha' }, CALLER)).rejects.toThrow(error);
    expect(forget).not.toHaveBeenCalled();
  });

  it('are hidden before they are removed from links', async () => {
    await service.remove('Gamma', CALLER);
    const [hidden] = forget.mock.invocationCallOrder;
    expect(hidden).toBeLessThan(untag.mock.invocationCallOrder[0] ?? 0);
    remove.mockResolvedValueOnce(false);
    await expect(service.remove('Gamma', CALLER)).rejects.toThrow(UnknownTagError);
    expect(untag).toHaveBeenCalledTimes(1);
  });
});
