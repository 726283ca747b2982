import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostToBlock, readHostsFile } from './hosts-file';

describe('A file of hosts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-hosts-'));
  const file = join(folder, 'hosts.txt');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read with any line endings, and unreadable lines are reported', () => {
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

  it('is rejected if it is missing or has too many hosts', () => {
    expect(() => readHostsFile(join(folder, 'none'))).toThrow('must name a file that exists');
    writeFileSync(file, Array.from({ length: 1001 }, (_, i) => `h${i}.test`).join('\n'));
    expect(() => readHostsFile(file, 1000)).toThrow(/^may have at most 1000 hosts$/);
    expect(readHostsFile(file, 1001).table.size).toBe(1001);
  });
});

describe('A host to block', () => {
  it.each([
    [' Evil.Example ', 'evil.example'],
    ['https://user@www.Evil.example:8443/a?b#c', 'www.evil.example'],
    ['evil.example/login', 'evil.example'],
    ['evil.example:8443', 'evil.example'],
    ['||evil.example^', 'evil.example'],
    ['*.evil.example', 'evil.example'],
    ['0.0.0.0 evil.example', 'evil.example'],
    ['evil.example # phishing', 'evil.example'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['192.0.2.1', '192.0.2.1'],
    ['http://[2001:db8::1]/', '[2001:db8::1]'],
    ['2001:db8::1', '[2001:db8::1]'],
  ])('is read from %s', (text, host) => {
    expect(hostToBlock(text)).toBe(host);
  });

  it.each([
    ...[
      '',
      'zip',
      '||zip^',
      'https://zip/',
      'localhost',
      '127.0.0.1',
      'not a host',
      '# evil.example',
    ],
    ...[
      '192.0.2.0/24',
      '2001:db8::/32',
      'a.example b.example',
      '@@||evil.example^',
      'mailto:a@b.example',
    ],
  ])('is not read from %j', (text) => {
    expect(hostToBlock(text)).toBeNull();
  });
});
