import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_HOSTS, readHostsFile } from './hosts-file';

describe('A file of hosts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-hosts-'));
  const file = join(folder, 'hosts.txt');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read with any line endings, and its unreadable lines are reported', () => {
    writeFileSync(
      file,
      `# list\r\nevil.example\r\n\r\n||no^${'x'.repeat(200)}\r\n0.0.0.0 bad.example`,
    );
    const { table, unreadable } = readHostsFile(file);
    expect(table.size).toBe(2);
    expect(['evil.example', 'a.bad.example'].map((host) => table.covers(host))).toEqual([
      true,
      true,
    ]);
    expect(unreadable).toEqual({
      total: 1,
      lines: [{ line: 4, text: `||no^${'x'.repeat(75)}` }],
    });
  });

  it('is refused when it is missing or holds too many hosts', () => {
    expect(() => readHostsFile(join(folder, 'none'))).toThrow('must name a file that exists');
    writeFileSync(file, Array.from({ length: MAX_HOSTS + 1 }, (_, i) => `h${i}.test`).join('\n'));
    expect(() => readHostsFile(file)).toThrow(/^may have at most 1000000 hosts$/);
  });
});
