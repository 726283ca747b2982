import { nestsDeeper } from './nesting';

const deeper = (json: string): boolean => nestsDeeper(Buffer.from(json), 3);

describe('nestsDeeper', () => {
  it('counts lists and objects in each other, however they are mixed', () => {
    expect(deeper('[{"a":[1]}]')).toBe(false);
    expect(deeper('[{"a":[[1]]}]')).toBe(true);
    expect(deeper('{"a":{"b":{"c":{}}}}')).toBe(true);
  });

  it('does not count what lies beside each other', () => {
    expect(deeper('[[],[],[],[],[[]],{"a":{}}]')).toBe(false);
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
