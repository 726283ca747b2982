import { readableSize, toJsonLines, toOutput, toTable } from './admin-tables';

const HOSTILE = 'a\u001b[2J\u009b31m\u202eb\u{e0001}';
const output = toOutput([{ id: '1', text: HOSTILE }], {
  id: ({ id }) => id,
  text: ({ text }) => text,
  none: () => null,
});

describe('The output of curtail admin', () => {
  it('is a table', () => {
    const two = toOutput([{ n: 1 }, { n: 1000 }], { n: ({ n }) => n, last: () => 'x' });
    expect(toTable(two)).toBe('n     last\n1     x\n1000  x\n');
    expect(toTable(toOutput([], { n: () => 1 }))).toBe('n\n');
  });

  it('has one field per line if the terminal is too narrow', () => {
    const two = toOutput([{ id: 1 }, { id: 2 }], {
      id: ({ id }) => id,
      long: () => 'x'.repeat(99),
    });
    const cut = `${'x'.repeat(59)}…`;
    expect(toTable(two, 60)).toBe(`id    1\nlong  ${cut}\n\nid    2\nlong  ${cut}\n`);
    expect(toTable(two, 80)).toBe(`id  long\n1   ${cut}\n2   ${cut}\n`);
  });

  it.each<[number, string]>([
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1024, '1.0 KiB'],
    [72_627_265_536, '67.6 GiB'],
    [2 ** 52, '4096.0 TiB'],
  ])('shows %d bytes as %s', (bytes, text) => {
    expect(readableSize(bytes)).toBe(text);
  });

  it('contains no terminal control sequences', () => {
    for (const text of [toTable(output), toTable(output, 5), toJsonLines(output)]) {
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }
    expect(JSON.parse(toJsonLines(output))).toEqual({ id: '1', text: HOSTILE });
  });
});
