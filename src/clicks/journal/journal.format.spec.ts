import { crc32 } from 'node:zlib';
import {
  decodeClickEvent,
  encodeClickEvent,
  JOURNAL_HEADER,
  journalVersion,
} from './journal.format';
import { aClickEvent } from '../../../test/support/shared/click-event';

const decode = (line: string) => decodeClickEvent(Buffer.from(line.replace(/\n$/, ''), 'utf8'));

describe('A journal record', () => {
  it('can be read exactly as it was written', () => {
    const visit = aClickEvent({ slot: true, query: 'utm_source=a&b=%20', flags: 3, variant: 'r1' });
    expect(decode(encodeClickEvent(visit))).toEqual(visit);
  });

  it.each([
    ['newlines', 'a\nb\r\nc\u2028d\u2029'],
    ['quotes and backslashes', '"\\"\\\\n'],
    ['controls and NUL', '\0\u0001\u007f\u009f'],
    ['emoji and CJK', '🦊漢字é'],
    ['half a surrogate pair', 'x\ud83dy'],
    ['the other half', '\udc00'],
    ['what looks like a record', '00000000 [1]\n00000000 [2]'],
    ['16 KB of garbage', '\u00ff\u0000"'.repeat(5461)],
  ])('writes %s on a single line', (_, hostile) => {
    const visit = aClickEvent({
      userAgent: hostile,
      referer: hostile,
      query: hostile,
      ip: hostile,
      variant: hostile,
    });
    const line = encodeClickEvent(visit);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(decode(line)).toEqual(visit);
  });

  it('is valid JSON for any text', () => {
    for (let code = 0; code < 0x180; code++) {
      const text = `a${String.fromCharCode(code)}b`;
      const line = encodeClickEvent(aClickEvent({ userAgent: text, referer: '', query: '' }));
      expect(line).toContain(`,${JSON.stringify(text)},"","",`);
    }
  });

  it('is rejected if any single byte changes', () => {
    const bytes = Buffer.from(encodeClickEvent(aClickEvent()).slice(0, -1));
    for (let i = 0; i < bytes.length; i++) {
      const damaged = Buffer.from(bytes);
      damaged[i] = damaged[i]! ^ 1;
      expect(decodeClickEvent(damaged)).toBeUndefined();
    }
  });

  it('is rejected if it is truncated at any position', () => {
    const bytes = Buffer.from(encodeClickEvent(aClickEvent()).slice(0, -1));
    for (let i = 0; i < bytes.length; i++)
      expect(decodeClickEvent(bytes.subarray(0, i))).toBeUndefined();
  });

  it.each([
    ['a malformed link id', [1, 'xyz', '', '', '', '', 1, 0]],
    ['an upper-case link id', [1, 'A'.repeat(24), '', '', '', '', 1, 0]],
    ['a missing field', [1, 'a'.repeat(24), '', '', '', '', 1]],
    ['a time that is not a number', ['1', 'a'.repeat(24), '', '', '', '', 1, 0]],
    ['a time beyond all dates', [9e15, 'a'.repeat(24), '', '', '', '', 1, 0]],
    ['a number for an address', [1, 'a'.repeat(24), 7, '', '', '', 1, 0]],
    ['flags that are no whole number', [1, 'a'.repeat(24), '', '', '', '', 1, 0, 0.5, '']],
    ['flags below 0', [1, 'a'.repeat(24), '', '', '', '', 1, 0, -1, '']],
    ['a variant that is not text', [1, 'a'.repeat(24), '', '', '', '', 1, 0, 0, null]],
    ['a field too many', [1, 'a'.repeat(24), '', '', '', '', 1, 0, 0, '', '']],
    ['an object', { at: 1 }],
  ])('with a correct checksum is still rejected because of %s', (_, fields) => {
    const json = JSON.stringify(fields);
    expect(decode(`${crc32(json).toString(16).padStart(8, '0')} ${json}`)).toBeUndefined();
  });

  it('follows a header that contains the version', () => {
    const version = (start: string) => journalVersion(Buffer.from(start));
    expect(version(JOURNAL_HEADER)).toBe(2);
    expect(version(`curtail-journal 27\n${'x'.repeat(5000)}`)).toBe(27);
    expect(version('curtail-journal x\n')).toBeUndefined();
    expect(version('00000000 []\n')).toBeUndefined();
  });
});
