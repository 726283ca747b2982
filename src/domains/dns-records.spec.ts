import type { DnsFindings } from '../stores/domains/domain';
import { dnsRecords, setupNotes } from './dns-records';
import { challengeText } from './domain-name';

const HOST = { host: 'go.test.example', addresses: [] };
const ADDRESSES = { host: 'localhost', addresses: ['192.0.2.1', '2001:db8::1'] };
const RIGHT = [challengeText('t')];

const records = (dns: DnsFindings | null, target: typeof ADDRESSES | typeof HOST = HOST) =>
  dnsRecords({ fqdn: 'links.example.com', token: 't', dns }, target).map(
    ({ type, value, state, found }) => [type, value, state, found],
  );
const notes = (dns: DnsFindings | null, host = HOST.host) =>
  setupNotes({ fqdn: 'links.example.com', token: 't', dns }, { host, addresses: [] }).join(' ');

describe('The DNS records of a domain', () => {
  it.each<[string, DnsFindings | null, string | null, string | null, string[][]]>([
    ['before the first check', null, null, null, [[], []]],
    [
      'without records',
      { texts: [], addresses: [], matches: false },
      'missing',
      'missing',
      [[], []],
    ],
    [
      'without a response',
      { texts: null, addresses: [], matches: false },
      null,
      'missing',
      [[], []],
    ],
    [
      'without any response',
      { texts: null, addresses: null, matches: false },
      null,
      null,
      [[], []],
    ],
    [
      'as they should be',
      { texts: RIGHT, addresses: ['1'], matches: true },
      'found',
      'found',
      [[], []],
    ],
    [
      'with other values',
      { texts: ['x'], addresses: ['1', '2', '3', '4', '5'], matches: false },
      'wrong',
      'wrong',
      [['x'], ['1', '2', '3', '4']],
    ],
  ])('have states %s', (_, dns, proof, traffic, found) => {
    expect(records(dns)).toEqual([
      ['TXT', RIGHT[0], proof, found[0]],
      ['CNAME', HOST.host, traffic, found[1]],
    ]);
  });

  it('have no note about unknown addresses', () => {
    expect(notes({ texts: null, addresses: null, matches: false })).toMatch(/^The proxy/);
  });

  it('have a state for each configured address', () => {
    const dns = { texts: RIGHT, addresses: ['192.0.2.1', '192.0.2.2'], matches: false };
    expect(records(dns, ADDRESSES).slice(1)).toEqual([
      ['A', '192.0.2.1', 'found', []],
      ['AAAA', '2001:db8::1', 'missing', []],
    ]);
  });

  it.each(['localhost', '192.0.2.1', '[::1]', 'nas.local', 'curtail'])(
    'do not point to %s, which is not a public name',
    (host) => {
      expect(records(null, { host, addresses: [] })).toHaveLength(1);
      expect(notes(null, host)).toContain(`No record can point to ${host}`);
      expect(notes({ texts: [], addresses: ['192.0.2.1'], matches: false }, host)).toContain(
        'links.example.com resolves to 192.0.2.1. No record',
      );
    },
  );

  it.each<[string, string[], boolean, string]>([
    ['no address', [], false, 'links.example.com has no address in DNS yet.'],
    [
      'the address of this service',
      ['192.0.2.1'],
      true,
      'links.example.com resolves to 192.0.2.1, which is an address of go.test.example.',
    ],
    ['two addresses of this service', ['1', '2'], true, 'resolves to 1, 2, which are addresses of'],
    [
      'more addresses than fit',
      ['1', '2', '3', '4', '5'],
      false,
      'resolves to 1, 2, 3, 4 and more, not only to go.test.example',
    ],
  ])('have notes about %s', (_, addresses, matches, note) => {
    expect(notes({ texts: null, addresses, matches })).toContain(note);
  });
});
