import {
  MAX_SELECTED,
  NOTHING,
  type Selection,
  selectionOf,
  shareOf,
  toggled,
  withLinks,
} from '../../../web/data/selection';

type Link = Parameters<typeof selectionOf>[0][number];
const link = (id: string): Link => ({ id }) as Link;
const ROWS = ['a', 'b', 'c', 'd', 'e'].map(link);
const idsOf = ({ links }: Selection): string => [...links.keys()].join('');
const click = (from: Selection, id: string, isChosen: boolean, extendsRange = false) =>
  toggled(from, ROWS, id, { isChosen, extendsRange });

describe('a selection of links', () => {
  it('selects rows one by one, and a range with shift, in both directions', () => {
    const one = click(NOTHING, 'b', true);
    expect(idsOf(one)).toBe('b');
    expect(idsOf(click(one, 'd', true, true))).toBe('bcd');
    expect(idsOf(click(one, 'a', true, true))).toBe('ba');
    expect(idsOf(click(click(one, 'e', true, true), 'c', false, true))).toBe('b');
    expect(idsOf(click(one, 'b', false))).toBe('');
  });

  it('selects only one row with shift if no row of the page was selected before', () => {
    expect(idsOf(click(NOTHING, 'c', true, true))).toBe('c');
    const other = { ...withLinks(NOTHING, [link('z')], true), anchor: 'z' };
    expect(idsOf(click(other, 'c', true, true))).toBe('zc');
  });

  it('contains the number of selected rows on a page', () => {
    expect(shareOf(NOTHING, ROWS)).toBe('none');
    expect(shareOf(click(NOTHING, 'a', true), ROWS)).toBe('some');
    expect(shareOf(selectionOf(ROWS), ROWS)).toBe('all');
  });

  it('drops the error of a link together with the link, and has a maximum size', () => {
    const failed = selectionOf(ROWS, new Map([['a', 'blocked']]));
    expect(withLinks(failed, [link('b')], false).reasons.size).toBe(1);
    expect(withLinks(failed, [link('a')], false).reasons.size).toBe(0);
    const many = Array.from({ length: MAX_SELECTED + 5 }, (_, i) => link(`n${i}`));
    expect(selectionOf(many).links.size).toBe(MAX_SELECTED);
    expect(withLinks(failed, many, true).links.size).toBe(MAX_SELECTED);
  });
});
