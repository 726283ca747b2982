import fc from 'fast-check';
import { TextTable } from './text-table';

describe('A table of texts', () => {
  const numberOf = (table: TextTable, text: string): number => {
    // In a chunk, a string is surrounded by other bytes.
    const bytes = Buffer.from(`<${text}>`);
    return table.numberFromUtf8(bytes, 1, bytes.length - 1);
  };

  it('assigns each text one number in order of arrival, and returns it on every call', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 300 }), (texts) => {
        const table = new TextTable();
        const known = [...new Set(texts)];
        for (const one of texts) expect(numberOf(table, one)).toBe(known.indexOf(one) + 1);
        expect(table.size).toBe(known.length + 1);
        known.forEach((one, at) => expect(table.text(at + 1)).toBe(one));
      }),
    );
  });

  it('uses 0 for a missing text, and another number for the empty text', () => {
    const table = new TextTable();
    expect(table.numberOfText(null)).toBe(0);
    expect(table.text(0)).toBeNull();
    expect(table.numberOfText('')).toBe(1);
    expect(table.text(1)).toBe('');
    expect(numberOf(table, '')).toBe(1);
  });

  it('can contain many texts, including long ones', () => {
    const table = new TextTable();
    const texts = Array.from({ length: 20_000 }, (_, i) => `https://site${i}.example/${i % 7}`);
    texts.push('x'.repeat(100_000), 'y'.repeat(100_000));
    const numbers = texts.map((text) => numberOf(table, text));
    expect(numbers).toEqual(texts.map((_, at) => at + 1));
    expect(texts.map((text) => table.numberOfText(text))).toEqual(numbers);
    expect(numbers.map((number) => table.text(number))).toEqual(texts);
  });

  it('assigns a number to a derived text that no chunk contains', () => {
    const table = new TextTable();
    const chrome = numberOf(table, 'Chrome');
    const mobile = table.numberOfText('Mobile Chrome');
    expect([chrome, mobile, numberOf(table, 'Mobile Chrome')]).toEqual([1, 2, 2]);
  });
});
