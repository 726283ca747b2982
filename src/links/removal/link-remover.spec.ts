import { LinkRemover } from './link-remover';

const LINKS = ['open', 'blocked', 'gone'].map((id) => ({ id, alias: `alias ${id}` }));

describe('The deletion of links', () => {
  const remove = jest.fn((id: string, keepIfBlocked: boolean) =>
    Promise.resolve(id === 'gone' || (id === 'blocked' && keepIfBlocked) ? null : `alias ${id}`),
  );
  const removeClicks = jest.fn(() => Promise.resolve());
  const removeCounts = jest.fn(() => Promise.resolve());
  const invalidate = jest.fn(() => Promise.resolve());
  const remover = new LinkRemover(
    { remove } as never,
    { note: () => Promise.resolve() } as never,
    { invalidate } as never,
    { remove: removeClicks } as never,
    { remove: removeCounts } as never,
  );

  beforeEach(() => jest.clearAllMocks());

  it('by an account keeps blocked links and their clicks', async () => {
    const removed = new Map<string, string>();
    await remover.removeUnblocked(LINKS, 'owner', removed);
    expect([...removed.keys()]).toEqual(['open']);
    expect(removeClicks).toHaveBeenCalledWith(['open']);
    expect(removeCounts).toHaveBeenCalledWith(['open']);
    expect(invalidate).toHaveBeenCalledWith('alias open');
  });

  it('by the service also deletes blocked links, and remains of a crash', async () => {
    const removed = new Map<string, string>();
    await remover.removeMany(LINKS, null, removed);
    expect([...removed.keys()]).toEqual(['open', 'blocked']);
    expect(removeClicks).toHaveBeenCalledWith(['open', 'blocked', 'gone']);
    expect(removeCounts).toHaveBeenCalledWith(['open', 'blocked', 'gone']);
  });
});
