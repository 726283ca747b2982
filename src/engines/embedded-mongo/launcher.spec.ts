import { homedir } from 'node:os';
import { join } from 'node:path';
import { userCacheFolder } from './launcher';

const before = process.env.XDG_CACHE_HOME;

afterAll(() => {
  if (before === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = before;
});

describe('userCacheFolder', () => {
  it('uses XDG_CACHE_HOME', () => {
    process.env.XDG_CACHE_HOME = '/var/cache/somebody';
    expect(userCacheFolder()).toBe('/var/cache/somebody');
  });

  it.each(['', 'relative/folder'])('uses the home folder for %j', (value) => {
    process.env.XDG_CACHE_HOME = value;
    expect(userCacheFolder()).toBe(join(homedir(), '.cache'));
  });
});
