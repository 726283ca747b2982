import { hostsOfLine } from './hosts-file';
import { HostTable, HostTableBuilder } from './host-table';

function tableOf(...hosts: string[]): HostTable {
  const builder = new HostTableBuilder();
  for (const host of hosts) builder.add(host);
  return builder.build();
}

describe('A table of hosts', () => {
  const table = tableOf('evil.example', 'evil.example', 'bad.co.uk', 'intranet', '192.0.2.7');

  it.each([
    ['evil.example', true],
    ['evil.example.', true],
    ['a.b.evil.example', true],
    ['notevil.example', false],
    ['example', false],
    ['co.uk', false],
    ['x.bad.co.uk', true],
    ['intranet', true],
    // A name without a dot must not block a whole top-level domain.
    ['x.intranet', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    [`${'a.'.repeat(200)}evil.example`, false],
  ])('contains %s: %s', (host, covered) => {
    expect(table.covers(host)).toBe(covered);
    expect(HostTable.EMPTY.covers(host)).toBe(false);
  });

  it('stores each host once, in at most 16 bytes', () => {
    expect(table.size).toBe(4);
    expect(table.digests.byteLength).toBeLessThanOrEqual(16 * table.size);
  });

  it('finds each of many hosts', () => {
    const hosts = Array.from({ length: 5000 }, (_, i) => `h${i}.example`);
    const many = tableOf(...hosts);
    expect(many.size).toBe(hosts.length);
    expect(hosts.filter((host) => !many.covers(host))).toEqual([]);
    expect(many.covers('h5000.example')).toBe(false);
  });
});

describe('A line of BLOCKED_HOSTS_FILE', () => {
  it.each<[string, string[] | null]>([
    ['', []],
    ['  # a comment', []],
    ['evil.example', ['evil.example']],
    ['  Evil.EXAMPLE.  # why', ['evil.example']],
    ['*.evil.example', ['evil.example']],
    ['0.0.0.0 evil.example other.example', ['evil.example', 'other.example']],
    ['127.0.0.1\tlocalhost localhost.localdomain', []],
    ['::1 ip6-localhost ip6-loopback', []],
    ['fe80::1%lo0 localhost', []],
    ['255.255.255.255 broadcasthost', []],
    ['0.0.0.0 0.0.0.0', []],
    ['192.0.2.7', ['192.0.2.7']],
    ['2001:DB8:0::1', ['[2001:db8::1]']],
    ['bücher.example', ['xn--bcher-kva.example']],
    ['a_b.example', ['a_b.example']],
    ['intranet', ['intranet']],
    ['evil.example other.example', null],
    ['http://evil.example/', null],
    ['evil.example:8080', null],
    // Adblock list rules.
    ['||evil.example^', ['evil.example']],
    ['  ||Evil.EXAMPLE^\r', ['evil.example']],
    ['||*.evil.example^', ['evil.example']],
    ['||192.0.2.7^', ['192.0.2.7']],
    ['||evil.example^$all', ['evil.example']],
    ['||evil.example^$document,important', ['evil.example']],
    ['! Title: a list', []],
    ['[Adblock Plus 2.0]', []],
    ['[AdGuard]', []],
    ['||localhost.localdomain^', []],
    ['@@||evil.example^', null],
    ['||evil.example', null],
    ['||evil.example^$third-party', null],
    ['||evil.example^$all,', null],
    ['||evil.example^$', null],
    ['||evil.example^$domain=a.example', null],
    ['||evil.example^$all,badfilter', null],
    ['||evil.example/path^', null],
    ['||evil.example^path', null],
    ['||evil.example^|', null],
    ['||zip^', null],
    ['||^', null],
    ['|https://evil.example^', null],
    ['/evil[0-9]+/', null],
    // Rules for parts of a page, and comments.
    ['news.example##.banner', null],
    ['news.example###banner', null],
    ['news.example#@#.banner', null],
    ['news.example#?#.banner:has(a)', null],
    ['news.example#@?#.banner', null],
    ['news.example#$#body { color: red }', null],
    ['news.example#@$?#.banner', null],
    ['news.example#%#//scriptlet("x")', null],
    ['news.example##+js(set, x, 1)', null],
    ['news.example##^script', null],
    ['news.example,other.example##.banner', null],
    ['news.example$$script[tag-content="x"]', null],
    ['evil.example #comment', ['evil.example']],
    ['evil.example#comment', ['evil.example']],
    ['evil.example ## comment', ['evil.example']],
    ['evil.example # see news.example##.banner', ['evil.example']],
    ['0.0.0.0 evil.example#comment', ['evil.example']],
    ['## Section ##', []],
    ['##.banner', []],
    ['0.0.0.0 evil.example not/one', null],
    ['a..example', null],
    ['x'.repeat(300), null],
    ['user@evil.example', null],
  ])('%j contains the hosts %j', (line, hosts) => {
    expect(hostsOfLine(line)).toEqual(hosts);
  });
});
