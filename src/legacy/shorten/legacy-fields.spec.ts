import { commonLegacyFields, isOn } from './legacy-fields';

const read = (fields: Record<string, string>) =>
  commonLegacyFields((field) => fields[field] ?? null);
const NOTHING = { password: null, maxClicks: null, expireAfter: null, blockBots: false };

describe('The settings in a v0 request', () => {
  it.each<[Record<string, string>, object]>([
    [{}, {}],
    [{ password: 'abcd123@' }, { password: 'abcd123@' }],
    [{ 'max-clicks': '1' }, { maxClicks: 1 }],
    [{ 'max-clicks': '007' }, { maxClicks: 7 }],
    [{ 'block-bots': 'true' }, { blockBots: true }],
    [{ 'block-bots': 'no' }, { blockBots: false }],
  ])('%j are accepted', (fields, expected) => {
    expect(read(fields)).toEqual({ ...NOTHING, ...expected });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a short password', { password: 'a1@' }, 'LinkPasswordRefusedError'],
    ['a password without a digit', { password: 'abcdefg@' }, 'LinkPasswordRefusedError'],
    ['adjacent special characters', { password: 'abcd12@.' }, 'LinkPasswordRefusedError'],
    ['a password of 129', { password: `a1@${'x'.repeat(126)}` }, 'LinkPasswordRefusedError'],
    ['zero clicks', { 'max-clicks': '0' }, 'MaxClicksRefusedError'],
    ['negative clicks', { 'max-clicks': '-1' }, 'MaxClicksRefusedError'],
    ['a fraction of clicks', { 'max-clicks': '1.5' }, 'MaxClicksRefusedError'],
    ['hexadecimal clicks', { 'max-clicks': '0x10' }, 'MaxClicksRefusedError'],
    ['more clicks than countable', { 'max-clicks': '9'.repeat(20) }, 'MaxClicksRefusedError'],
    ['no lifetime', { 'expires-in': '0' }, 'ExpiresInRefusedError'],
    ['a lifetime in words', { 'expires-in': 'soon' }, 'ExpiresInRefusedError'],
    ['more than ten years', { 'expires-in': '315360001' }, 'ExpiresInRefusedError'],
  ])('with %s are rejected', (_, fields, name) => {
    expect(() => read(fields)).toThrow(expect.objectContaining({ name }) as Error);
  });

  it('expire after whole seconds, and never before the link exists', () => {
    jest.useFakeTimers({ now: 1500 });
    expect(read({ 'expires-in': '1' }).expireAfter).toBe(3);
    jest.useRealTimers();
  });

  it.each<[string | null, boolean]>([
    [null, false],
    ['on', true],
    ['1', true],
    ['x', true],
    ['false', false],
    ['OFF', false],
    [' no ', false],
    ['0', false],
  ])('are enabled by %j: %s', (value, expected) => {
    expect(isOn(value)).toBe(expected);
  });
});
