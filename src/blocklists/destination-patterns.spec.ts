import vm from 'node:vm';
import { DestinationPatterns, destinationSpellings } from './destination-patterns';

const judge = (text: string, ...patterns: string[]) =>
  new DestinationPatterns(patterns).judge(destinationSpellings(text, new URL(text)));
const verdictOn = (text: string, ...patterns: string[]) => judge(text, ...patterns).verdict;

describe('the patterns of blocked destinations', () => {
  const EVIL = '^https?://([^/]*\\.)?evil\\.com(/|$)';

  it.each([
    'https://evil.com',
    'https://evil.com/',
    'HTTPS://EVIL.COM/x',
    'https://www.evil.com/x',
    'https://evil%2Ecom/',
    'https://%65vil.com/',
    'https://ｅｖｉｌ.com/',
    'https://evil。com/',
    'https://ev\u00adil.com/',
    'https://user@evil.com/',
    'https://good.test:secret@evil.com/x',
    'https://good.test%2F@evil.com/x',
    'https://evil.com./x',
    'https://evil.com:443/x',
    'http://evil.com:80/x',
    'https:\\\\evil.com\\x',
  ])('match every spelling of a host: %s', (text) => {
    expect(verdictOn(text, EVIL)).toBe('blocked');
  });

  it.each(['https://good.test/evil.com', 'https://notevil.com/', 'https://evil.com.good.test/'])(
    'ignore other destinations: %s',
    (text) => {
      expect(verdictOn(text, EVIL)).toBe('allowed');
    },
  );

  it.each([
    ['https://münchen.de/', 'xn--mnchen-3ya\\.de'],
    ['https://xn--mnchen-3ya.de/', 'münchen\\.de'],
    ['https://MÜNCHEN.de/', '^https://münchen\\.de$'],
    ['http://2130706433/', '127\\.0\\.0\\.1'],
    ['https://a.test/%62ad%2Dthing', '/bad-thing'],
    ['https://a.test/x/../bad', 'test/bad'],
    ['https://user@a.test/', '//user@'],
  ])('match %s by %s', (text, pattern) => {
    expect(verdictOn(text, pattern)).toBe('blocked');
  });

  it('keep an encoded separator unchanged, because decoding would change the URL', () => {
    expect(verdictOn('https://a.test/x%2Fbad', 'x/bad')).toBe('allowed');
  });

  it('report which pattern matched', () => {
    expect(judge('https://spam.test/', 'evil', 'SPAM')).toEqual({ verdict: 'blocked', pattern: 1 });
  });

  it('stop at the time limit and report the slow pattern, for any number of patterns', () => {
    const slow = Array.from({ length: 5 }, (_, n) => `^(a+)+${n}$`);
    const patterns = new DestinationPatterns(['never', ...slow]);
    const long = ['a'.repeat(60)];
    expect(patterns.judge(long)).toEqual({ verdict: 'unfinished', pattern: 1 });
    expect(patterns.judge(['https://a.test/'])).toEqual({ verdict: 'allowed', pattern: -1 });
  });

  it('do not time out while the thread gets no CPU time', () => {
    const patterns = new DestinationPatterns(['spam']);
    const text = 'https://a.test/';
    const search = jest.spyOn(vm.Script.prototype, 'runInContext').mockImplementationOnce(() => {
      // Simulates a busy machine, on which the time limit is reached before any work is done.
      throw Object.assign(new Error('timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
    });
    expect(patterns.judge([text])).toEqual({ verdict: 'allowed', pattern: -1 });
    expect(search).toHaveBeenCalledTimes(2);
    search.mockRestore();
  });

  it('check a plain destination only once', () => {
    const text = 'https://example.com/path?q=1#part';
    expect(destinationSpellings(text, new URL(text))).toEqual([text]);
  });
});
