import { serverFromUrl } from './url';
import { readSettings } from './settings';

const redis = (REDIS_URL: string) => readSettings({ REDIS_URL }).redis.url ?? '';
const clickHouse = (CLICKHOUSE_URL: string, more: Record<string, string> = {}) =>
  readSettings({ CLICKHOUSE_URL, ...more }).clickHouse;
const smtp = (SMTP_URL: string) => readSettings({ SMTP_URL }).mail.smtpUrl ?? '';

describe('REDIS_URL', () => {
  it.each([
    'redis://redis:6379',
    'redis://:ge@heim@redis:6379/1',
    'rediss://me:p%2F%40%23@[::1]:6380/0?family=6',
    '/run/redis.sock?db=2',
  ])('may be %s', (url) => expect(redis(url)).toBe(url));

  it.each([
    ['REDISS://cache.test', 'rediss://cache.test'],
    ['redis+unix:///run/redis.sock', '/run/redis.sock'],
    ['redis+unix:///run/redis.sock?db=2', '/run/redis.sock?db=2'],
    ['unix://:pw@/run/redis.sock', '/run/redis.sock?password=pw'],
    [
      'redis+unix://me:p%2F%23+w@/run/my%20redis.sock?db=1',
      '/run/my redis.sock?db=1&username=me&password=p%2F%23%2Bw',
    ],
  ])('%s becomes %s for the client', (url, address) => {
    expect(redis(url)).toBe(address);
    expect(serverFromUrl(address)).not.toMatch(/pw|%2F/);
  });

  it.each([
    ['http://redis', 'must be a URL starting with redis://'],
    ['redis:6379', 'must be a URL starting with redis://'],
    ['redis:///0', 'must have a host after redis://'],
    ['redis://redis/one', 'must give the database as a number'],
    ['redis://redis/0/1', 'must give the database as a number'],
    ['redis://redis?db=one', 'must give the database as a number'],
    ['redis+unix:///run/redis.sock?db=one', 'must give the database as a number'],
    ['redis+unix://run/redis.sock', 'is not a valid URL'],
    ['redis://redis:99999', 'is not a valid URL'],
  ])('is rejected as %s: it %s', (url, reason) => {
    expect(() => redis(url)).toThrow(`REDIS_URL="…": ${reason}`);
  });

  it.each([
    'redis://user:ge%zzheim@127.0.0.1:6379',
    'redis://:ge@heim#1@127.0.0.1:6379/0',
    'redis://:ge#heim@h',
    'redis://:ge/heim@h',
    'redis://:ge?heim@h',
    'redis://me:12/heim@h',
    'redis://me:12#heim',
    'redis://me:12?heim@h',
    'redis://:ge\nheim@h',
    'redis+unix://:ge/heim@/run/redis.sock',
    'redis+unix://:ge%heim@/run/redis.sock',
  ])('is rejected as %j, without any part of the password in the message', (url) => {
    expect(() => redis(url)).toThrow(/^REDIS_URL="…": (?!.*heim).*percent-encoded/);
  });
});

describe('CLICKHOUSE_URL', () => {
  const plain = { user: 'default', password: '', database: 'curtail', cluster: null };

  it.each([
    ['http://localhost:8123', { url: 'http://localhost:8123', ...plain }],
    [
      'HTTPS://me:p%2Fw@ch.test/clicks',
      {
        ...plain,
        ...{ url: 'https://ch.test', user: 'me', password: 'p/w', database: 'clicks' },
      },
    ],
  ])('may be %s', (url, options) => expect(clickHouse(url)).toEqual(options));

  it('is overridden by the separate variables', () => {
    const more = { CLICKHOUSE_USER: 'you', CLICKHOUSE_PASSWORD: 'pw', CLICKHOUSE_CLUSTER: 'all' };
    expect(clickHouse('http://me:other@ch.test/', more)).toEqual({
      ...plain,
      ...{ url: 'http://ch.test', user: 'you', password: 'pw', cluster: 'all' },
    });
    expect(() => readSettings({ CLICKHOUSE_USER: 'you' })).toThrow(
      'CLICKHOUSE_URL: must be set when CLICKHOUSE_USER is, or CLICKHOUSE_URL_FILE',
    );
  });

  it.each([
    ['clickhouse://ch.test', 'must be a URL starting with http:// or https://'],
    ['http://', 'must be a URL starting with http:// or https://'],
    ['http://ch.test/a/b', 'must have the database as its path'],
    ['http://ch.test/?database=a', 'must have the database as its path'],
    ['http://me:p/w@ch.test/', 'is not a valid URL'],
  ])('is rejected as %s: it %s', (url, reason) => {
    expect(() => clickHouse(url)).toThrow(`CLICKHOUSE_URL="…": ${reason}`);
  });
});

describe('SMTP_URL', () => {
  it.each([
    'smtp://mail.test',
    'smtp://me%40go.test:ge@heim@mail.test:587',
    'smtps://me:my%20pass@mail.test:465/?pool=true',
  ])('may be %s', (url) => expect(smtp(url)).toBe(url));

  it('accepts its scheme in upper or lower case', () =>
    expect(smtp('SMTPS://mail.test')).toBe('smtps://mail.test'));

  it.each([
    'smtp://me:ge#heim@mail.test',
    'smtp://me:ge/heim@mail.test',
    'smtp://me:25?heim@mail.test',
    'smtp://me:25/heim@127.0.0.1',
    'smtp://me:ge%heim@mail.test',
    'smtp://me:heim\r\n@mail.test',
    'smtp://me:ge:heim',
  ])('is rejected as %j, without any part of the password in the message', (url) => {
    expect(() => smtp(url)).toThrow(/^SMTP_URL="…": (?!.*heim).*percent-encoded/);
  });

  it.each(['imap://mail.test', 'mail.test:25', 'smtp://'])('is rejected as %s', (url) => {
    expect(() => smtp(url)).toThrow(
      'SMTP_URL="…": must be a URL starting with smtp:// or smtps://',
    );
  });
});
