import { type Connection, mongo } from 'mongoose';
import type { BackgroundTasks, RepeatedTask } from '../../../src/common/background-tasks';
import type { AppLog } from '../../../src/common/log';
import { foldKey } from '../../../src/stores/links/alias-form';
import { AliasTakenError } from '../../../src/stores/links/link.errors';
import {
  destinationHash,
  LINK_MODEL,
  LinkSchema,
  toLink,
} from '../../../src/stores/links/link.schema';
import { LinkWalk } from '../../../src/stores/links/link-walk.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { BackfillStarter } from '../../../src/links/backfill/backfill-starter';
import { LinkBackfillJob } from '../../../src/links/backfill/link-backfill.job';
import type { JobStarter } from '../../../src/infrastructure/jobs/job-starter';
import type { JobStep, RunningJob } from '../../../src/infrastructure/jobs/job-kind';
import type { LinkAddresses } from '../../../src/stores/domains/link-addresses';
import { aLinkRecord } from '../../support/shared/stored-link';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const OWNER = new mongo.ObjectId();
const BEFORE = new Date('2026-11-01');
/** Number of links, more than two steps process. */
const MANY = 1100;

describe('the backfill of links', () => {
  let connection: Connection;
  let repository: LinksRepository;
  let walk: LinkWalk;
  let job: LinkBackfillJob;

  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    await connection.model(LINK_MODEL, LinkSchema).createIndexes();
    repository = new LinksRepository(connection);
    walk = new LinkWalk(connection);
    job = new LinkBackfillJob(repository, walk);
  });
  afterEach(() => dropTestDatabase(connection));

  const links = () => connection.collection('links');
  const stored = () => links().find().sort({ _id: 1 }).toArray();
  const step = (cursor: string | null, checkLease = () => undefined): Promise<JobStep<string>> =>
    job.step({ cursor, checkLease } as unknown as RunningJob<null, string>);

  /** A link as stored by an earlier release, without hash and hosts. */
  function former(changes: object = {}) {
    const { destination_hash, destination_hosts, ...record } = aLinkRecord({
      owner: OWNER,
      touched_at: BEFORE,
      ...changes,
    });
    expect([destination_hash, destination_hosts]).not.toContain(undefined);
    return record;
  }

  function unhashed() {
    const { destination_hosts } = aLinkRecord();
    return { ...former(), destination_hosts };
  }

  it("adds hosts to links and hashes to accounts' links, and changes nothing else when repeated", async () => {
    const made = Array.from({ length: MANY }, (_, i) =>
      former({
        long_url: `https://h${i}.example.com/${i}`,
        ...(i % 3 === 0 && { owner: null }),
        ...(i % 5 === 0 && { pre_start_url: 'https://soon.example/' }),
      }),
    );
    await links().insertMany(made);
    const before = await stored();
    let cursor: string | null = null;
    let done = 0;
    do {
      const first: JobStep<string> = await step(cursor);
      const after = await stored();
      expect(await step(cursor)).toEqual(first);
      expect(await stored()).toEqual(after);
      ({ cursor } = first);
      done += first.done;
    } while (cursor !== null);
    expect(done).toBe(MANY);
    expect(await stored()).toEqual(
      before.map((link, i) => ({
        ...link,
        ...(link['owner'] !== null && {
          destination_hash: destinationHash(link['long_url'] as string),
        }),
        destination_hosts: [`com.example.h${i}.`, ...(i % 5 === 0 ? ['example.soon.'] : [])],
      })),
    );
    expect(await step(before.at(-1)?._id.toHexString() ?? null)).toEqual({ cursor: null, done: 0 });
  });

  it('skips a link whose destination changes between the read and the write', async () => {
    const [one, two] = [former(), former()];
    await links().insertMany([one, two]);
    const changed = destinationHash('https://example.com/new');
    const unfilled = await walk.unfilledAfter(null, 10);
    const hosts = ['com.example.'];
    await links().updateOne(
      { _id: one._id },
      {
        $set: {
          long_url: 'https://example.com/new',
          destination_hash: changed,
          destination_hosts: hosts,
        },
      },
    );
    // Simulates an update by a machine running an earlier release.
    await links().updateOne({ _id: two._id }, { $set: { long_url: 'https://example.com/new' } });
    await repository.fill(unfilled);
    const found = (await stored()).map(({ destination_hash, destination_hosts }) => [
      destination_hash as unknown,
      destination_hosts as unknown,
    ]);
    expect(found).toEqual([
      [changed, hosts],
      [undefined, undefined],
    ]);
  });

  it('writes nothing after its lease is lost', async () => {
    await links().insertOne(former());
    const lost = step(null, () => {
      throw new Error('lost');
    });
    await expect(lost).rejects.toThrow('lost');
    expect(await walk.hasUnfilled()).toBe(true);
  });

  describe('while case is ignored', () => {
    beforeEach(() => {
      repository = new LinksRepository(connection, () => undefined, true);
      walk = new LinkWalk(connection, true);
      job = new LinkBackfillJob(repository, walk);
    });

    const aliases = ['Sale', 'ÄÖ-X', '🌸', 'SALE', 'sale', 'Poster'];
    const unfolded = () =>
      aliases.map((alias) => {
        const { folded_alias, ...record } = aLinkRecord({ alias, touched_at: BEFORE });
        expect(folded_alias).toBe(foldKey(alias));
        return record;
      });

    it('adds folded aliases, and claims to one link of each', async () => {
      await links().insertMany(unfolded());
      expect(await walk.hasUnfilled()).toBe(true);
      expect(await new LinkWalk(connection).hasUnfilled()).toBe(false);
      const before = await stored();
      expect(await step(null)).toEqual({ cursor: null, done: aliases.length });
      await step(null);
      expect(await walk.hasUnfilled()).toBe(false);
      const claimed = ['Sale', 'ÄÖ-X', '🌸', 'Poster'];
      expect(await stored()).toEqual(
        before.map((link) => {
          const alias = link['alias'] as string;
          const folded_alias = foldKey(alias);
          return {
            ...{ ...link, folded_alias },
            ...(claimed.includes(alias) && { folded_claim: folded_alias }),
          };
        }),
      );
      const collisions = { count: 1, first: ['sale'], unclaimed: 0 };
      expect(await walk.findCollisions(10)).toEqual(collisions);
    });

    it('starts for links created while case mattered, and adds their claims', async () => {
      const made = ['Sale', 'SALE', 'Poster'].map((alias) => toLink(aLinkRecord({ alias })));
      await new LinksRepository(connection).insertMany(made, BEFORE);
      expect(await walk.hasUnfilled()).toBe(false);
      expect(await jobsBegunAtStart()).toEqual(['backfill']);
      await step(null);
      const found = links().find({ folded_claim: { $exists: true } });
      expect((await found.sort({ _id: 1 }).toArray()).map(({ alias }) => alias as string)).toEqual([
        expect.stringMatching(/^sale$/i),
        'Poster',
      ]);
      expect(await jobsBegunAtStart()).toEqual([]);
    });

    async function jobsBegunAtStart(): Promise<string[]> {
      const begun: string[] = [];
      const tasks: Promise<void>[] = [];
      new BackfillStarter(
        walk,
        { beginOnly: (kind: string) => Promise.resolve(begun.push(kind)) } as unknown as JobStarter,
        { retry: ({ run }: RepeatedTask) => tasks.push(run()) } as unknown as BackgroundTasks,
        { statisticsLabel: (key: string) => key } as unknown as LinkAddresses,
        { ignoreCase: true },
        { warn: () => undefined } as unknown as AppLog,
      ).onApplicationBootstrap();
      await Promise.all(tasks);
      return begun;
    }

    it('is not needed for renamed links, which lose their claim while case matters', async () => {
      const link = toLink(aLinkRecord({ alias: 'Sale' }));
      await repository.insertMany([link], BEFORE);
      const renamed = await repository.change(link, { alias: 'SALE' }, BEFORE, false);
      expect((await stored())[0]).toMatchObject({ folded_alias: 'sale', folded_claim: 'sale' });
      await new LinksRepository(connection).change(
        renamed ?? link,
        { alias: 'New' },
        BEFORE,
        false,
      );
      expect((await stored())[0]).toMatchObject({ alias: 'New', folded_alias: 'new' });
      expect((await stored())[0]).not.toHaveProperty('folded_claim');
    });

    it('leaves a claim to a link created meanwhile', async () => {
      await links().insertMany(unfolded());
      const taken = toLink(aLinkRecord({ alias: 'POSTER' }));
      await repository.insertMany([taken], BEFORE);
      await step(null);
      const found = await links().find({ folded_alias: 'poster' }).sort({ alias: 1 }).toArray();
      expect(found.map((link) => [link['alias'], link['folded_claim']])).toEqual([
        ['POSTER', 'poster'],
        ['Poster', undefined],
      ]);
      const again = { ...taken, alias: 'pOSTER', id: new mongo.ObjectId().toHexString() };
      expect(await repository.insertMany([again], BEFORE)).toEqual([expect.any(AliasTakenError)]);
    });
  });

  it.each([
    ['an account’s link without the hash', () => [former(), aLinkRecord()], true],
    ['an account’s link without the hash alone', () => [unhashed()], true],
    ['an anonymous link without its hosts', () => [former({ owner: null })], true],
    ['links that lack nothing', () => [aLinkRecord({ owner: OWNER }), aLinkRecord()], false],
    ['no links', () => [], false],
  ])('is needed only if a link lacks a field: %s', async (_, records, needed) => {
    const made = records();
    if (made.length > 0) await links().insertMany(made);
    expect(await walk.hasUnfilled()).toBe(needed);
  });
});
