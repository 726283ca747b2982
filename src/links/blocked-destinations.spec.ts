import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppLog } from '../core/log';
import { BlockedDestinations } from './blocked-destinations';

const silent: AppLog = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };

describe('the list of blocked destinations', () => {
  const dir = mkdtempSync(join(tmpdir(), 'curtail-blocked-'));
  const file = join(dir, 'blocked.txt');
  afterAll(() => rmSync(dir, { recursive: true }));

  const listOf = (...lines: string[]): BlockedDestinations => {
    writeFileSync(file, lines.join('\n'));
    return new BlockedDestinations({ file }, silent);
  };

  it('matches each line as a regular expression without regard to case', () => {
    const list = listOf('# a comment', '', 'evil\\.example', '^https?://bad\\.');
    expect(list.includes('https://EVIL.example/x')).toBe(true);
    expect(list.includes('http://bad.test/')).toBe(true);
    expect(list.includes('https://good.test/#bad.')).toBe(false);
  });

  it('ignores a line that is no regular expression and keeps the others', () => {
    const list = listOf('(unclosed', 'spam');
    expect(list.includes('https://spam.test')).toBe(true);
  });

  it('takes a pattern that runs out of its time as not matching', () => {
    const list = listOf('^(a+)+$', 'spam');
    expect(list.includes('a'.repeat(60) + '!')).toBe(false);
    expect(list.includes('a'.repeat(60) + '!spam')).toBe(true);
  });

  it('is empty without a file', () => {
    expect(new BlockedDestinations({ file: null }, silent).includes('https://x.test')).toBe(false);
  });
});
