import { linkWith } from '../../../test/support/shared/domain-values';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { type Link } from '../../stores/links/link';
import { LinkBlockingService } from './link-blocking.service';

const OPEN = linkWith({ alias: 'open' });
const CLOSED = linkWith({
  alias: 'open',
  blocked: { reason: 'Spam', at: new Date(), by: 'admin' },
});

describe('The blocking of a link', () => {
  let stored: Link | null;
  let before: Link | null;
  const invalidate = jest.fn();
  const note = jest.fn<Promise<void>, [unknown]>();
  const change = () => Promise.resolve(before);
  const blocking = new LinkBlockingService(
    { block: change, unblock: change } as never,
    { findById: () => Promise.resolve(stored) } as never,
    { invalidate } as never,
    { note } as never,
  );

  beforeEach(() => jest.resetAllMocks());

  it.each<['block' | 'unblock', Link | null, Link, Link, string[][]]>([
    ['block', OPEN, CLOSED, OPEN, [['open']]],
    ['block', null, CLOSED, CLOSED, []],
    ['unblock', CLOSED, OPEN, CLOSED, [['open']]],
    ['unblock', null, OPEN, OPEN, []],
    ['block', linkWith({ alias: 'old' }), CLOSED, linkWith({ alias: 'old' }), [['old', 'open']]],
  ])(
    '%s invalidates the cached link only if it changed',
    async (act, earlier, after, shown, aliases) => {
      [before, stored] = [earlier, after];
      const transition = await (act === 'block'
        ? blocking.block(after.id, { reason: 'Spam', by: 'admin' })
        : blocking.unblock(after.id));
      expect(transition.link).toBe(after);
      expect(transition.before.alias).toBe(shown.alias);
      expect(transition.before.blocked).toEqual(shown.blocked);
      expect(invalidate.mock.calls).toEqual(aliases);
    },
  );

  it('plans an email to the owner before it blocks an open link', async () => {
    [before, stored] = [OPEN, OPEN];
    await blocking.block(OPEN.id, { reason: 'Spam', by: 'admin' });
    expect(note).toHaveBeenCalledWith([OPEN.ownerId]);
    stored = CLOSED;
    await blocking.block(OPEN.id, { reason: 'Phishing', by: 'admin' });
    expect(note).toHaveBeenCalledTimes(1);
  });

  it('returns 404 for an unknown link', async () => {
    [before, stored] = [null, null];
    await expect(blocking.unblock('f'.repeat(24))).rejects.toThrow(UnknownLinkError);
  });
});
