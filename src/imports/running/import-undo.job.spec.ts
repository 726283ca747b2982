import { ImportUndoJob } from './import-undo.job';

const LINKS = ['one', 'two', 'blocked'].map((id) => ({ id, alias: `alias ${id}` }));

describe('The job that undoes an import', () => {
  let stored: typeof LINKS;
  const removeUnblocked = jest.fn(
    (links: typeof LINKS, _: string | null, removed: Map<string, string>) => {
      for (const { id, alias } of stored) {
        const isMeant = id !== 'blocked' && links.some((link) => link.id === id);
        if (isMeant) removed.set(id, alias);
      }
      stored = stored.filter(({ id }) => !removed.has(id));
      return Promise.resolve();
    },
  );
  const invalidate = jest.fn(() => Promise.resolve());
  const checkLease = jest.fn();
  const job = new ImportUndoJob(
    {
      blockedAmong: (ids: string[]) =>
        Promise.resolve(new Set(ids.filter((id) => id === 'blocked'))),
      findUndoable: () => Promise.resolve(stored.filter(({ id }) => id !== 'blocked')),
    } as never,
    { removeUnblocked } as never,
    { invalidate } as never,
  );
  const step = (cursor: { links: typeof LINKS } | null) =>
    job.step({ input: { importId: 'i', total: 2 }, cursor, ownerId: 'o', checkLease } as never);

  beforeEach(() => {
    jest.clearAllMocks();
    stored = LINKS;
  });

  it('stores the links in a note before it deletes them', async () => {
    const links = LINKS.slice(0, 2);
    expect(await step(null)).toEqual({ cursor: { links }, done: 0, total: 2 });
    expect(removeUnblocked).not.toHaveBeenCalled();
    expect(await step({ links })).toEqual({ cursor: null, done: 2, total: 2 });
    expect(stored).toEqual([LINKS[2]]);
    expect(checkLease).toHaveBeenCalledTimes(1);
  });

  it('counts and announces the same links again if it was killed', async () => {
    stored = LINKS.slice(1);
    const again = await step({ links: LINKS.slice(0, 2) });
    expect(again).toMatchObject({ cursor: null, done: 2 });
    expect(invalidate).toHaveBeenCalledWith('alias one');
  });

  it('keeps a link that was blocked after the note was stored', async () => {
    expect(await step({ links: LINKS })).toMatchObject({ done: 2 });
    expect(stored).toEqual([LINKS[2]]);
  });
});
