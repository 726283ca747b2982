import { type Connection, Types } from 'mongoose';
import type { NewAuditEntry } from '../../../src/audit-trail/audit-entry';
import type { AuditTrailService } from '../../../src/audit-trail/audit-trail.service';
import type { AppLog } from '../../../src/common/log';
import type { ChangeBus } from '../../../src/infrastructure/change-bus/bus';
import {
  type JobStep,
  JobWaiting,
  type RunningJob,
} from '../../../src/infrastructure/jobs/job-kind';
import type { BlockNoticesRepository } from '../../../src/stores/links/block-notices.repository';
import { LINK_MODEL, LinkSchema } from '../../../src/stores/links/link.schema';
import { LinkReads } from '../../../src/stores/links/link-reads.repository';
import { LinkWalk } from '../../../src/stores/links/link-walk.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import type {
  BlockedDestinations,
  ListsVersion,
} from '../../../src/blocklists/blocked-destinations';
import { ListWalkJob, type WalkCursor } from '../../../src/moderation/list-walk/list-walk.job';
import { ListWalksRepository } from '../../../src/moderation/list-walk/list-walks.repository';
import { aLinkRecord } from '../../support/shared/stored-link';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const BEFORE = new Date('2026-11-01');
const BY_ADMIN = { reason: 'spam', at: BEFORE, by: 'admin' } as const;
const BY_LIST = { reason: 'On the list of blocked hosts', at: BEFORE, by: 'list' } as const;
const NONE = /(?!)/;
const MANY = 2500;
const OWNER = new Types.ObjectId();

describe('a check of all links', () => {
  let connection: Connection;
  let repository: LinksRepository;
  let reads: LinkWalk;
  let walks: ListWalksRepository;
  let job: ListWalkJob;
  let told: string[];
  let notified: (string | null)[];
  let entries: NewAuditEntry[];
  const lists = { hosts: new Set<string>(), urls: NONE, slow: NONE, version: version('1') };

  function version(name: string): ListsVersion {
    return { hosts: name, urls: '' };
  }

  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    await connection.model(LINK_MODEL, LinkSchema).createIndexes();
    repository = new LinksRepository(connection);
    reads = new LinkWalk(connection);
    walks = new ListWalksRepository(connection);
    told = [];
    notified = [];
    entries = [];
    Object.assign(lists, { hosts: new Set(), urls: NONE, slow: NONE, version: version('1') });
    const blocked: Partial<BlockedDestinations> = {
      look: () => Promise.resolve(),
      coversHost: (host) => lists.hosts.has(host),
      judgeByPatterns: (url) =>
        Promise.resolve(
          lists.slow.test(url) ? 'unfinished' : lists.urls.test(url) ? 'blocked' : 'allowed',
        ),
    };
    Object.defineProperties(blocked, {
      version: { get: () => lists.version },
      hasPatterns: { get: () => lists.urls !== NONE || lists.slow !== NONE },
    });
    job = new ListWalkJob(
      blocked as BlockedDestinations,
      repository,
      reads,
      walks,
      {
        publish: (_: string, aliases: string[]) => Promise.resolve(void told.push(...aliases)),
      } as unknown as ChangeBus,
      {
        add: (entry: NewAuditEntry) => Promise.resolve(void entries.push(entry)),
      } as AuditTrailService,
      {
        note: (owners: (string | null)[]) => Promise.resolve(void notified.push(...owners)),
      } as unknown as BlockNoticesRepository,
      { info: () => undefined } as unknown as AppLog,
    );
  });
  afterEach(() => dropTestDatabase(connection));

  const links = () => connection.collection('links');
  const blockedOf = async (alias: string): Promise<unknown> =>
    (await links().findOne({ alias }))?.['blocked'] as unknown;
  const step = (
    cursor: WalkCursor | null,
    input = version('1'),
    checkLease = () => undefined,
  ): Promise<JobStep<WalkCursor>> =>
    job.step({
      ...{ cursor, input, checkLease, signal: new AbortController().signal },
    } as unknown as RunningJob<ListsVersion, WalkCursor>);

  /** Executes every step of a walk twice. Returns the last cursor. */
  async function walk(input = version('1')): Promise<{ done: number; last: WalkCursor | null }> {
    lists.version = input;
    let cursor: WalkCursor | null = null;
    let last: WalkCursor | null = null;
    let done = 0;
    do {
      const first = await step(cursor, input);
      if (cursor !== null) expect(await step(cursor, input)).toEqual(first);
      last = first.cursor ?? last;
      done += first.done;
      cursor = first.cursor;
    } while (cursor !== null);
    return { done, last };
  }

  it('closes links with a blocked host in any destination, and reopens them', async () => {
    const evil = 'https://evil.example/';
    await links().insertMany([
      ...Array.from({ length: MANY }, () => aLinkRecord()),
      aLinkRecord({ alias: 'own', long_url: evil, owner: OWNER }),
      aLinkRecord({ alias: 'later', expired_redirect_url: evil }),
      aLinkRecord({ alias: 'rule', rules: [{ key: 'r1', when: [], to: evil }] }),
      aLinkRecord({ alias: 'exempt', long_url: evil, list_exempt: true }),
      aLinkRecord({ alias: 'admins', long_url: evil, blocked: BY_ADMIN }),
      aLinkRecord({ alias: 'innocent', blocked: BY_ADMIN }),
      aLinkRecord({ alias: 'former', blocked: BY_LIST }),
    ]);
    lists.hosts.add('evil.example');
    const { done, last } = await walk();
    expect([done, last]).toEqual([MANY + 7, expect.objectContaining({ blocked: 3, unblocked: 1 })]);
    const own = await links().findOne({ alias: 'own' });
    expect(await repository.remove(String(own?._id), true)).toBeNull();
    for (const alias of ['own', 'later', 'rule']) {
      expect(await blockedOf(alias)).toEqual({
        ...{ reason: 'On the list of blocked hosts', by: 'list', at: expect.any(Date) },
      });
    }
    expect(await blockedOf('former')).toBeUndefined();
    expect(new Set(told)).toEqual(new Set(['own', 'later', 'rule', 'former']));
    expect(new Set(notified)).toEqual(new Set([OWNER.toHexString(), null]));
    expect(await walks.applied()).toMatchObject({ version: version('1') });
    const [entry, again] = entries;
    expect(entry).toMatchObject({
      ...{ act: 'list.apply', actor: { id: null, via: 'list' }, subject: { id: 'hosts' } },
      after: { blocked: 3, unblocked: 1 },
    });
    // The id is the same, so repeated steps write one entry.
    expect(again).toEqual(entry);
    lists.hosts.clear();
    expect((await walk(version('2'))).last).toMatchObject({ blocked: 0, unblocked: 3 });
    expect(await links().countDocuments({ 'blocked.by': 'list' })).toBe(0);
    expect(await blockedOf('admins')).toEqual(BY_ADMIN);
    expect(await blockedOf('innocent')).toEqual(BY_ADMIN);
    expect(await blockedOf('exempt')).toBeUndefined();
  });

  it('closes links that match a pattern, and skips links that cannot be checked in time', async () => {
    await links().insertMany([
      aLinkRecord({ alias: 'one', long_url: 'https://a.example/spam' }),
      aLinkRecord({ alias: 'slow', long_url: 'https://slow.example/' }),
      aLinkRecord({ alias: 'closed', long_url: 'https://slow.example/', blocked: BY_LIST }),
    ]);
    lists.urls = /spam/;
    lists.slow = /slow/;
    const { last } = await walk({ hosts: '', urls: '1' });
    expect(last).toMatchObject({ blocked: 1, unblocked: 0 });
    expect(await blockedOf('one')).toMatchObject({ reason: 'On the list of blocked addresses' });
    expect(await blockedOf('slow')).toBeUndefined();
    expect(await blockedOf('closed')).toEqual(BY_LIST);
    expect(await reads.countClosedByList('On the list of blocked addresses')).toBe(1);
  });

  it('checks changed patterns on all links, and unchanged ones only on links that they may have closed', async () => {
    await links().insertMany([
      aLinkRecord({ alias: 'spam', long_url: 'https://a.example/spam' }),
      aLinkRecord({ alias: 'host', long_url: 'https://evil.example/' }),
    ]);
    lists.urls = /spam/;
    lists.hosts.add('evil.example');
    const first = { hosts: '1', urls: '1' };
    expect(await walk(first)).toMatchObject({ done: 4, last: { blocked: 2 } });
    await links().insertOne(aLinkRecord({ alias: 'new', long_url: 'https://b.example/spam' }));
    lists.hosts.clear();
    const second = await walk({ hosts: '', urls: '1' });
    expect(second).toMatchObject({ done: 3, last: { blocked: 0, unblocked: 1 } });
    expect([await blockedOf('host'), await blockedOf('new')]).toEqual([undefined, undefined]);
    expect(await blockedOf('spam')).toMatchObject({ by: 'list' });
    // Simulates a process that requests the walk again because it noticed the change later.
    expect(await walk({ hosts: '', urls: '1' })).toMatchObject({ done: 6, last: { blocked: 1 } });
    lists.urls = NONE;
    expect(await walk({ hosts: '', urls: '' })).toMatchObject({ done: 3, last: { unblocked: 2 } });
  });

  it('updates the lists of changed links', async () => {
    const record = aLinkRecord({ long_url: 'https://evil.example/', touched_at: BEFORE });
    await links().insertOne(record);
    lists.hosts.add('evil.example');
    await walk();
    const closed = await links().findOne({ _id: record._id });
    expect(closed?.['touched_at']).not.toEqual(BEFORE);
    lists.hosts.clear();
    await walk(version('2'));
    const opened = await links().findOne({ _id: record._id });
    expect(opened).toEqual({ ...record, touched_at: expect.any(Date) });
    expect(Number(opened?.['touched_at'])).toBeGreaterThan(Number(closed?.['touched_at']));
  });

  it('skips a link whose destination changed meanwhile, or that an admin unblocked', async () => {
    const evil = 'https://evil.example/';
    const moved = aLinkRecord({ alias: 'moved', long_url: evil });
    await links().insertMany([moved, aLinkRecord({ alias: 'opened', long_url: evil })]);
    lists.hosts.add('evil.example');
    const { cursor: begun } = await step(null);
    const { cursor: found } = await step(begun);
    expect(found?.found?.hosts).toHaveLength(2);
    const link = await new LinkReads(connection).findByAlias('moved');
    await repository.change(link!, { longUrl: 'https://good.example/' }, new Date(), false);
    await links().updateOne({ alias: 'opened' }, { $set: { list_exempt: true } });
    await step(found);
    expect([await blockedOf('moved'), await blockedOf('opened')]).toEqual([undefined, undefined]);
  });

  it('ends if the blocklists have changed since it began, and reports this', async () => {
    await links().insertOne(aLinkRecord({ alias: 'x', long_url: 'https://evil.example/' }));
    lists.hosts.add('evil.example');
    expect(await step(null, version('another'))).toEqual({ cursor: null, done: 0 });
    expect(await walks.applied()).toMatchObject({ version: { hosts: '', urls: '' } });
    const { cursor } = await step(null);
    expect(await walks.applied()).toMatchObject({ version: null });
    lists.version = version('2');
    expect(await step(cursor)).toEqual({ cursor: null, done: 0 });
    expect(await walks.applied()).toMatchObject({ version: null });
    expect(await blockedOf('x')).toBeUndefined();
  });

  it('waits until hosts are stored for older links', async () => {
    const { destination_hosts, ...former } = aLinkRecord();
    expect(destination_hosts).toEqual(['com.example.']);
    await links().insertOne(former);
    await expect(step(null)).rejects.toThrow(JobWaiting);
  });

  it('writes nothing after its lease is lost', async () => {
    const lost = () => {
      throw new Error('lost');
    };
    await expect(step(null, version('1'), lost)).rejects.toThrow('lost');
    expect(await walks.applied()).toMatchObject({ version: { hosts: '', urls: '' } });
  });
});
