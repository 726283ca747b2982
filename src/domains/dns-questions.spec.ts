import { Resolver } from 'node:dns/promises';
import { DnsQuestions } from './dns-questions';

const NONE = Object.assign(new Error('none'), { code: 'ENODATA' });
const LATE = Object.assign(new Error('late'), { code: 'ETIMEOUT' });

describe('The DNS addresses of a name', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each<[string, string[] | Error, string[] | Error, string[] | null]>([
    ['both kinds', ['192.0.2.1'], ['2001:db8::1'], ['192.0.2.1', '2001:db8::1']],
    ['one kind', ['192.0.2.1'], NONE, ['192.0.2.1']],
    ['one kind, although DNS is silent about the other', LATE, ['2001:db8::1'], ['2001:db8::1']],
    ['none', NONE, NONE, []],
    ['unknown if DNS is silent', NONE, LATE, null],
  ])('are %s', async (_, a, aaaa, found) => {
    const answer = (records: string[] | Error) =>
      records instanceof Error ? Promise.reject(records) : Promise.resolve(records);
    jest.spyOn(Resolver.prototype, 'resolve4').mockImplementation(() => answer(a));
    jest.spyOn(Resolver.prototype, 'resolve6').mockImplementation(() => answer(aaaa));
    expect(await new DnsQuestions(null).addresses('links.example.com')).toEqual(found);
  });
});
