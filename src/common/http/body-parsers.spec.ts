import { beyondBounds, refuseOversizedJson, TOO_DEEP, TOO_MANY_VALUES } from './body-parsers';

const beyond = (json: string) => beyondBounds(Buffer.from(json), { depth: 3, values: 5 });
const deeper = (json: string): boolean => beyond(json) === TOO_DEEP;

describe('the depth of a JSON text', () => {
  it('counts lists and objects in each other, however they are mixed', () => {
    expect(deeper('[{"a":[1]}]')).toBe(false);
    expect(deeper('[{"a":[[1]]}]')).toBe(true);
    expect(deeper('{"a":{"b":{"c":{}}}}')).toBe(true);
  });

  it('does not count what lies beside each other', () => {
    expect(deeper('[[],[],[],[[]],{"a":{}}]')).toBe(false);
  });

  it('takes brackets in texts for text, behind escaped quotes too', () => {
    expect(deeper('"[[[[[["')).toBe(false);
    expect(deeper('"\\"[[[[["')).toBe(false);
    expect(deeper('"\\\\"')).toBe(false);
    expect(deeper('["\\\\",[[[1]]]]')).toBe(true);
  });

  it('finds depth in texts that are no JSON', () => {
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
  ])('is within its bound in %s', (json) => expect(beyond(json)).toBeNull());

  it.each([
    '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}',
    '{"a":1,"a":2,"a":3,"a":4,"a":5,"a":6}',
    '[1,2,3,4,5,6]',
    '[[1,2],[3,4],[5,6]]',
    '[{},{},{},{},{},{}]',
    '["\\\\",1,2,3,4,5]',
    ',,,,,',
  ])('is above its bound in %s', (json) => expect(beyond(json)).toBe(TOO_MANY_VALUES));
});

describe('a JSON body', () => {
  const refused = (json: Buffer, charset = 'utf-8'): unknown => {
    try {
      refuseOversizedJson(undefined as never, undefined as never, json, charset);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('may have a thousand values, in 32 levels', () => {
    expect(refused(Buffer.from(JSON.stringify(Array(1000).fill(0))))).toBeUndefined();
    expect(refused(Buffer.from('['.repeat(32)))).toBeUndefined();
  });

  it('may not have more', () => {
    expect(refused(Buffer.from(JSON.stringify(Array(1001).fill(0))))).toMatchObject({
      type: TOO_MANY_VALUES,
      status: 422,
    });
    expect(refused(Buffer.from('['.repeat(33)))).toMatchObject({ type: TOO_DEEP, status: 422 });
  });

  it('is UTF-8: in UTF-16 a letter can look like a quote that hides what follows', () => {
    const text = Buffer.from(`["\u0122",${'0,'.repeat(2000)}0]`, 'utf16le');
    expect(refused(text, 'utf-16le')).toMatchObject({ status: 422 });
    expect(refused(Buffer.from('{}', 'utf16le'), 'utf-16le')).toMatchObject({ status: 422 });
  });
});
