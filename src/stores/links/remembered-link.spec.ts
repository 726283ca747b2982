import { mongo } from 'mongoose';
import { aLinkRecord } from '../../../test/support/shared/stored-link';
import { ClosedOwners } from './closed-owners';
import { decodeRememberedLink, toLink, type LinkRecord } from './link.schema';
import { fingerprint, memoryBytes } from './remembered-link';

const owner = new mongo.ObjectId();
const RECORDS: [string, Partial<LinkRecord>][] = [
  ['a plain link', {}],
  ['a plain link of an account', { owner }],
  ['a plain link that came through v0', { generation: 'v1' }],
  ['a plain link with a destination in another script', { long_url: 'https://example.com/日本' }],
  ['a link with a campaign', { long_url: 'https://example.com/?utm_source=mail' }],
  ['a blocked link', { blocked: { reason: 'spam', at: new Date(), by: 'admin' } }],
  ['an edited link', { updated_at: new Date() }],
  ['a link with a limit', { max_clicks: 3 }],
  ['a link without previews', { count_bots: false }],
];
const IN_MEMORY = [
  ...['id', 'alias', 'longUrl', 'location', 'campaign', 'ownerId', 'generation', 'createdAt'],
  ...['updatedAt', 'status', 'closedByLimit', 'blocked', 'passwordHash', 'maxClicks'],
  ...['quotaActiveFrom', 'expireAfter', 'startsAt', 'preStartUrl', 'expiredRedirectUrl'],
  ...['forwardQuery', 'destinations', 'blockBots', 'countBots', 'privateStats', 'qrStyle'],
] as const;

function documentOf(record: LinkRecord): Uint8Array {
  return mongo.BSON.serialize(record);
}

describe('a cached link', () => {
  it.each(RECORDS)('has every field of the stored link: %s', (_, changes) => {
    const record = aLinkRecord(changes);
    const link = decodeRememberedLink(documentOf(record));
    const full = toLink(record);
    for (const field of IN_MEMORY) {
      expect([field, link[field as keyof typeof link]]).toEqual([field, full[field as never]]);
    }
  });

  it('keeps every field if its owner is suspended', () => {
    const record = aLinkRecord({ owner });
    const owners = new ClosedOwners();
    owners.replaceIds(new Set([owner.toHexString()]));
    const open = decodeRememberedLink(documentOf(record));
    const seen = owners.seenLink(open);
    expect(seen.blocked).not.toBeNull();
    expect(open.blocked).toBeNull();
    expect(seen).toMatchObject({ id: open.id, location: open.location });
    expect([seen.createdAt, seen.status, seen.countBots]).toEqual([open.createdAt, 'ACTIVE', true]);
  });

  it('uses 400 bytes without special settings, and more otherwise', () => {
    const memory = (changes: Partial<LinkRecord>) => {
      const document = documentOf(aLinkRecord({ alias: 'abcdefg', ...changes }));
      return memoryBytes(decodeRememberedLink(document), document.length);
    };
    const longUrl = 'https://example.com/an/address/of/50/characters?q=1';
    expect(memory({ long_url: longUrl })).toBeLessThan((96 * 1024 * 1024) / 250_000);
    expect(memory({ max_clicks: 3 })).toBeGreaterThan(memory({ long_url: longUrl }));
  });
});

describe('the fingerprint of a document', () => {
  it('changes with every byte, and is an exact number', () => {
    const document = documentOf(aLinkRecord({ alias: 'abc' }));
    const prints = new Set([fingerprint(document)]);
    for (let i = 0; i < document.length; i += 1) {
      const changed = Uint8Array.from(document);
      changed[i] = (changed[i] ?? 0) ^ 1;
      prints.add(fingerprint(changed));
    }
    expect(prints.size).toBe(document.length + 1);
    expect([...prints].every(Number.isSafeInteger)).toBe(true);
    expect(fingerprint(Uint8Array.from(document))).toBe(fingerprint(document));
  });
});
