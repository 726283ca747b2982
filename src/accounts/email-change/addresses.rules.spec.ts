import { changeAddress, undoChange } from './addresses.rules';

const DAY = 24 * 60 * 60 * 1000;
const at = (day: number) => new Date(day * DAY);
const chain = () => {
  const first = changeAddress({ email: 'a', earlier: [] }, 'b', 'undo a', at(0));
  return changeAddress(first, 'c', 'undo b', at(1));
};

describe('A change of the email address', () => {
  it('holds the old address for seven days', () => {
    expect(chain()).toEqual({
      email: 'c',
      earlier: [
        { email: 'a', changedAt: at(0), heldUntil: at(7), undo: 'undo a' },
        { email: 'b', changedAt: at(1), heldUntil: at(8), undo: 'undo b' },
      ],
      taken: ['c', 'a', 'b'],
    });
    expect(changeAddress(chain(), 'd', 'undo c', at(7)).taken).toEqual(['d', 'b', 'c']);
  });

  it('frees an unverified old address immediately', () => {
    const { earlier, taken } = changeAddress({ email: 'a', earlier: [] }, 'b', null, at(0));
    expect([earlier, taken]).toMatchObject([[{ email: 'a', undo: null }], ['b']]);
  });

  it('can return to a held address', () => {
    expect(changeAddress(chain(), 'a', 'undo c', at(2)).taken).toEqual(['a', 'b', 'c']);
  });

  it.each<[string, string, number, string | null, string[], (string | null)[]]>([
    ['the last one', 'undo b', 2, 'b', ['b', 'a'], ['undo a', null, null]],
    ['the first one, which ends all later ones', 'undo a', 2, 'a', ['a'], [null, null, null]],
    ['one after seven days', 'undo a', 7, null, [], []],
    ['an unknown one', 'undo x', 2, null, [], []],
  ])('can be undone: %s', (_, undo, day, email, taken, links) => {
    const undone = undoChange(chain(), undo, at(day));
    expect(undone?.email ?? null).toBe(email);
    expect(undone?.taken ?? []).toEqual(taken);
    expect(undone?.earlier.map((each) => each.undo) ?? []).toEqual(links);
    if (undone !== null) expect(undoChange(undone, undo, at(day))).toBeNull();
  });
});
