import type { IncomingMessage } from 'node:http';
import { beyondBounds, boundedJson, parseJson, TOO_DEEP, TOO_MANY_VALUES } from './json-bodies';

const beyond = (json: string) => beyondBounds(Buffer.from(json), { depth: 3, values: 5 });
const deeper = (json: string): boolean => beyond(json) === TOO_DEEP;

describe('the nesting depth of a JSON text', () => {
  it('counts nested lists and objects in any combination', () => {
    expect(deeper('[{"a":[1]}]')).toBe(false);
    expect(deeper('[{"a":[[1]]}]')).toBe(true);
    expect(deeper('{"a":{"b":{"c":{}}}}')).toBe(true);
  });

  it('does not count siblings', () => {
    expect(deeper('[[],[],[],[[]],{"a":{}}]')).toBe(false);
  });

  it('ignores brackets inside strings, even after escaped quotes', () => {
    expect(deeper('"[[[[[["')).toBe(false);
    expect(deeper('"\\"[[[[["')).toBe(false);
    expect(deeper('"\\\\"')).toBe(false);
    expect(deeper('["\\\\",[[[1]]]]')).toBe(true);
  });

  it('is also measured in text that is not JSON', () => {
    expect(deeper('[[[[')).toBe(true);
    expect(deeper(']]]][[[[')).toBe(false);
  });
});

describe('the number of values in a JSON text', () => {
  it.each([
    '{"a":1,"b":2,"c":3,"d":4,"e":5}',
    '[1,2,3,4,5]',
    '{"a":[1,2,3],"b":{"c":4}}',
    '["a,b,c,d,e,f,g"]',
    '["\\",,,,,,,\\"",1]',
  ])('is within the limit in %s', (json) => expect(beyond(json)).toBeNull());

  it.each([
    '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}',
    '{"a":1,"a":2,"a":3,"a":4,"a":5,"a":6}',
    '[1,2,3,4,5,6]',
    '[[1,2],[3,4],[5,6]]',
    '[{},{},{},{},{},{}]',
    '["\\\\",1,2,3,4,5]',
    ',,,,,',
  ])('exceeds the limit in %s', (json) => expect(beyond(json)).toBe(TOO_MANY_VALUES));
});

describe('JSON from another service', () => {
  it.each<[string, Buffer, object]>([
    ['a value', Buffer.from('\ufeff{"a":[1]}'), { value: { a: [1] } }],
    ['too many values', Buffer.from('[1,2,3,4,5,6]'), { problem: 'JSON with more than 5 values' }],
    ['too deep values', Buffer.from('[[[[]]]]'), { problem: 'JSON with more than 3 levels' }],
    ['other text', Buffer.from('[1'), { problem: 'broken JSON' }],
    ['other bytes', Buffer.from('"\xe9"', 'latin1'), { problem: 'JSON that is not UTF-8' }],
  ])('is read only within the limits: %s', (_name, bytes, expected) => {
    expect(boundedJson(bytes, { depth: 3, values: 5 })).toEqual(expected);
  });
});

const withType = (type: string) => ({ headers: { 'content-type': type } }) as IncomingMessage;

describe('a JSON body', () => {
  const parse = (json: string | Buffer, type = 'application/json') =>
    parseJson(Buffer.from(json as string), withType(type));
  const refused = (json: string | Buffer, type?: string): unknown => {
    try {
      parse(json, type);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const refusal = (error: string) => ({ status: 422, message: `input: ${error}` });

  it('may have a thousand values and 32 levels', () => {
    expect(refused(JSON.stringify(Array(1000).fill(0)))).toBeUndefined();
    expect(refused(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeUndefined();
  });

  it('may not exceed these limits', () => {
    expect(refused(JSON.stringify(Array(1001).fill(0)))).toMatchObject(refusal(TOO_MANY_VALUES));
    expect(refused('['.repeat(33))).toMatchObject(refusal(TOO_DEEP));
  });

  it.each(['application/json; charset=utf-8', 'application/json;charset="UTF8"', 'a/b+json'])(
    'is read as %s',
    (type) => expect(parse('{"a":"é"}', type)).toEqual({ a: 'é' }),
  );

  it('may begin with a byte-order mark, and may be empty', () => {
    expect(parse('\ufeff{}')).toEqual({});
    expect(parse('')).toEqual({});
  });

  it('must be UTF-8, because in UTF-16 a letter can look like a quote', () => {
    const text = Buffer.from(`["\u0122",${'0,'.repeat(2000)}0]`, 'utf16le');
    for (const charset of ['utf-16le', 'utf-16', 'iso-8859-1', 'nonsense']) {
      expect(refused(text, `application/json; charset=${charset}`)).toMatchObject(
        refusal('the body must be UTF-8'),
      );
    }
  });

  it.each([
    ['a letter of ISO-8859-1', '{"a":"caf\xe9"}'],
    ['one in a name', '{"caf\xe9":1}'],
    ['half a letter', '{"a":"caf\xc3"}'],
    ['a surrogate', '{"a":"\xed\xa0\x80"}'],
    ['an overlong slash', '{"a":"\xc0\xaf"}'],
  ])('is rejected with %s', (_, text) => {
    expect(refused(Buffer.from(text, 'latin1'))).toMatchObject(refusal('the body must be UTF-8'));
  });
});
