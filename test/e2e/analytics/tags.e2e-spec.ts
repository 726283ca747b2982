import { Workbook } from 'exceljs';
import JSZip from 'jszip';
import mongoose from 'mongoose';
import type { Response } from 'supertest';
import { aClick } from '../../support/shared/click.factory';
import { ApiClient } from '../../support/api-client';
import { anAddress } from '../../support/http';
import {
  type Answer,
  ann,
  bob,
  clicks,
  eve,
  NOON,
  RANGE,
} from '../../support/statistics/hand-counted';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

const FORMULA = '=HYPERLINK("https://evil.example")';
const MARKUP = '<img src=x onerror=alert(1)> & \u05d0';

let world: StatisticsWorld;
let user: Session;
let tags: Record<string, mongoose.Types.ObjectId>;
let links: Record<'both' | 'spring' | 'none', { id: string; alias: string }>;
beforeAll(async () => {
  world = await StatisticsWorld.open();
});
afterAll(() => world.close());

/** A link with two tags has four clicks, a link with one tag has one, an untagged link has two. */
beforeEach(async () => {
  user = aSession();
  tags = {};
  for (const name of ['Spring sale', 'Mail', 'Unused']) tags[name] = await aTag(name);
  const { 'Spring sale': spring, Mail: mail } = tags;
  links = {
    both: await aLink([spring!, mail!]),
    spring: await aLink([spring!]),
    none: await aLink(),
  };
  await world.record(links.both.id, clicks);
  await world.record(links.spring.id, [aClick({ at: NOON + 5, visitor: ann })]);
  await world.record(links.none.id, [
    aClick({ at: NOON + 6, visitor: ann }),
    aClick({ at: NOON + 7, visitor: 'd'.repeat(24), botName: 'Googlebot' }),
  ]);
});

async function aTag(name: string, owner = user.id): Promise<mongoose.Types.ObjectId> {
  const tag = { owner, name, key: name.toLowerCase(), color: 'grey', created_at: new Date() };
  return (await world.connection.collection('tags').insertOne(tag)).insertedId;
}

async function aLink(of: mongoose.Types.ObjectId[] = [], owner = user.id) {
  const alias = `t${new mongoose.Types.ObjectId().toHexString()}`;
  const tagged = of.length === 0 ? {} : { tags: of };
  return { id: await world.link({ owner, alias, private_stats: true, ...tagged }), alias };
}

async function ask(query: object): Promise<Answer & { notes?: string[] }> {
  const answer = await world.get('/api/v1/stats', { scope: 'all', ...RANGE, ...query }, user);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body as Answer & { notes?: string[] };
}

async function sums(query: object): Promise<[number, number]> {
  const { summary } = await ask(query);
  return [summary.total_clicks, summary.unique_clicks];
}

describe('Statistics by tag', () => {
  it('count a click for each tag of its link and a visitor once per tag, as percentages of the total', async () => {
    const { summary, metrics, notes } = await ask({ group_by: 'tag' });
    expect(summary).toMatchObject({ total_clicks: 7, unique_clicks: 4 });
    expect(metrics).toEqual({
      clicks_by_tag: [
        { tag: 'Spring sale', clicks: 5, clicks_percentage: 71.43 },
        { tag: 'Mail', clicks: 4, clicks_percentage: 57.14 },
        { tag: '(none)', clicks: 2, clicks_percentage: 28.57 },
      ],
      unique_clicks_by_tag: [
        { tag: 'Spring sale', unique_clicks: 3, unique_clicks_percentage: 75 },
        { tag: 'Mail', unique_clicks: 3, unique_clicks_percentage: 75 },
        { tag: '(none)', unique_clicks: 2, unique_clicks_percentage: 50 },
      ],
    });
    expect(notes).toEqual([expect.stringContaining('percentages are of the summary')]);
    expect((await ask({ tag: 'Mail' })).notes).toBeUndefined();
    const cut = await ask({ group_by: 'time,tag', metrics: 'clicks', limit: 1 });
    expect(cut.metrics.clicks_by_tag).toEqual(metrics.clicks_by_tag!.slice(0, 1));
    const human = await ask({ group_by: 'tag', metrics: 'clicks', audience: 'human' });
    expect(human.metrics.clicks_by_tag!.map((point) => point.clicks)).toEqual([5, 4, 1]);
    const first = {
      group_by: 'tag',
      metrics: 'clicks',
      start_date: new Date(NOON + 1).toISOString(),
    };
    const ranged = await ask({ ...first, end_date: new Date(NOON + 5).toISOString() });
    expect(ranged.metrics.clicks_by_tag!.map(({ tag, clicks }) => [tag, clicks])).toEqual([
      ['Spring sale', 2],
      ['Mail', 1],
    ]);
  });

  it.each<[string, object, [number, number]]>([
    ['one tag, in any case', { tag: ' spring  SALE ' }, [5, 3]],
    ['a comma-separated list', { tag: 'Mail,(none)' }, [6, 4]],
    ['links without', { tag: '(NONE)' }, [2, 2]],
    ['an unknown one alongside a known one', { tag: 'winter,mail' }, [4, 3]],
    ['an unknown one', { tag: 'winter' }, [0, 0]],
    ['one that no link has', { tag: 'unused' }, [0, 0]],
    [
      'what no tag can be called',
      { filters: JSON.stringify({ tag: ['Mail,Spring', 'x'.repeat(41)] }) },
      [0, 0],
    ],
    ['both ways united', { tag: 'mail', filters: '{"tag":["(none)"]}' }, [6, 4]],
    ['an empty list', { tag: ' , ', filters: '{"tag":[]}' }, [7, 4]],
    ['with a filter of clicks', { tag: 'mail', country: 'DE' }, [2, 2]],
    ['with a list by link', { tag: 'spring sale', group_by: 'short_code,tag' }, [5, 3]],
  ])('can be filtered by %s', async (_, query, expected) => {
    expect(await sums(query)).toEqual(expected);
  });

  it('include links that match all filters: the tag, the codes and the ids', async () => {
    const { both, spring, none } = links;
    expect(await sums({ tag: 'spring sale', short_code: both.alias })).toEqual([4, 3]);
    expect(await sums({ tag: 'mail', short_code: `${spring.alias},${none.alias}` })).toEqual([
      0, 0,
    ]);
    expect(await sums({ tag: 'spring sale', url_id: `${spring.id},${none.id}` })).toEqual([1, 1]);
    const { metrics } = await ask({ short_code: spring.alias, group_by: 'tag', metrics: 'clicks' });
    expect(metrics.clicks_by_tag).toEqual([
      { tag: 'Spring sale', clicks: 1, clicks_percentage: 100 },
    ]);
    const chosen = await ask({
      url_id: `${both.id},${none.id}`,
      group_by: 'tag',
      metrics: 'clicks',
    });
    expect(chosen.metrics.clicks_by_tag!.map(({ tag }) => tag)).toEqual([
      'Mail',
      'Spring sale',
      '(none)',
    ]);
  });

  it('return the filter unchanged, and list all tags of the matching links', async () => {
    const { filters, metrics } = await ask({ tag: 'MAIL', group_by: 'tag', metrics: 'clicks' });
    expect(filters).toEqual({ tag: ['MAIL'] });
    expect(metrics.clicks_by_tag).toEqual([
      { tag: 'Mail', clicks: 4, clicks_percentage: 100 },
      { tag: 'Spring sale', clicks: 4, clicks_percentage: 100 },
    ]);
  });

  it('include renamed, changed and deleted tags immediately, for all earlier clicks', async () => {
    const owner = await ApiClient.on(world.service);
    const [both, one, none] = [
      await owner.aLink({ tags: ['Spring sale', 'Mail'] }),
      await owner.aLink({ tags: ['spring SALE'] }),
      await owner.aLink(),
    ];
    await world.record(both.id, clicks);
    await world.record(one.id, clicks.slice(0, 1));
    await world.record(none.id, clicks.slice(0, 2));
    const asked = async (query: object): Promise<Answer> => {
      const path = `/api/v1/stats?${new URLSearchParams({ scope: 'all', ...RANGE, ...query }).toString()}`;
      return (await owner.call('get', path)).body as Answer;
    };
    const total = async (tag: string) => (await asked({ tag })).summary.total_clicks;
    const listed = async () =>
      (await asked({ group_by: 'tag', metrics: 'clicks' })).metrics.clicks_by_tag!.map(
        (point) => `${point.tag} ${point.clicks}`,
      );
    const { body } = await owner.call('get', '/api/v1/tags');
    const [mail, spring] = (body as { tags: { id: string }[] }).tags;
    expect(await listed()).toEqual(['Spring sale 5', 'Mail 4', '(none) 2']);
    await owner.call('patch', `/api/v1/tags/${mail!.id}`, { name: 'Post' });
    expect(await listed()).toEqual(['Spring sale 5', 'Post 4', '(none) 2']);
    expect([await total('mail'), await total('post')]).toEqual([0, 4]);
    await owner.update(none.id, { tags: ['Winter'] });
    expect(await listed()).toEqual(['Spring sale 5', 'Post 4', 'Winter 2']);
    expect(await total('(none)')).toBe(0);
    await owner.call('delete', `/api/v1/tags/${spring!.id}`);
    expect(await listed()).toEqual(['Post 4', 'Winter 2', '(none) 1']);
    expect([await total('(none)'), await total('spring sale')]).toEqual([1, 0]);
  });

  it('omit a deleted tag even before it is removed from its links', async () => {
    await world.connection.collection('tags').deleteOne({ _id: tags['Spring sale'] });
    const { metrics } = await ask({ group_by: 'tag', metrics: 'clicks' });
    expect(metrics.clicks_by_tag!.map(({ tag, clicks }) => [tag, clicks])).toEqual([
      ['Mail', 4],
      ['(none)', 3],
    ]);
    expect([await sums({ tag: '(none)' }), await sums({ tag: 'spring sale' })]).toEqual([
      [3, 2],
      [0, 0],
    ]);
  });

  it("ignore other accounts' tags", async () => {
    const other = aSession();
    const foreign = await aLink([await aTag('Mail', other.id)], other.id);
    await world.record(foreign.id, clicks);
    expect(await sums({ tag: 'mail' })).toEqual([4, 3]);
    const query = { scope: 'all', ...RANGE, tag: 'spring sale', group_by: 'tag' };
    const { body } = await world.get('/api/v1/stats', query, other);
    expect(body).toMatchObject({ summary: { total_clicks: 0 }, metrics: { clicks_by_tag: [] } });
  });
});

describe('Rejected tags in statistics', () => {
  const paths = ['/api/v1/stats', '/api/v1/export'];

  it.each(paths)('%s: a tag with scope=anon returns 400 with the field', async (path) => {
    const anon = { format: 'json', scope: 'anon', short_code: links.both.alias };
    for (const [query, field] of [
      [{ group_by: 'time,tag' }, 'group_by'],
      [{ tag: 'mail' }, 'tag'],
      [{ filters: '{"tag":["mail"]}' }, 'filters'],
    ] as const) {
      expect(await world.get(path, { ...anon, ...query }, user)).toMatchObject({
        status: 400,
        body: { code: 'validation_error', field },
      });
    }
  });

  it.each(paths)('%s: a tag without a credential, or a malformed tag', async (path) => {
    const all = { format: 'json', scope: 'all', group_by: 'tag' };
    const asked = world.get(path, all).set('X-Forwarded-For', anAddress());
    expect((await asked).status).toBe(401);
    for (const [query, field] of [
      [{ filters: '{"tag":"mail"}' }, 'filters'],
      [{ filters: '{"tag":[5]}' }, 'filters'],
      [{ filters: '{"Tags":["mail"]}' }, 'Tags'],
      [{ tag: ['mail', 'post'] }, 'tag'],
      [{ group_by: 'tags' }, 'group_by'],
    ] as const) {
      expect(await world.get(path, { ...all, ...query }, user)).toMatchObject({
        status: 422,
        body: { field },
      });
    }
  });

  it('a tag as a dimension and as a filter of one link', async () => {
    const { id } = links.both;
    for (const path of [`/api/v1/stats/links/${id}`, `/api/v1/export/links/${id}`]) {
      expect(await world.get(path, { format: 'json', group_by: 'tag' }, user)).toMatchObject({
        status: 422,
        body: { field: 'group_by' },
      });
    }
    const query = { ...RANGE, filters: '{"tag":["winter"]}', group_by: 'time' };
    const { body } = await world.get(`/api/v1/stats/links/${id}`, query, user);
    expect(body).toMatchObject({ filters: {}, summary: { total_clicks: 4 } });
    await world.connection
      .collection('links')
      .updateOne({ alias: links.both.alias }, { $set: { private_stats: false } });
    const shared = await world.get(`/api/v1/public/stats/${links.both.alias}`, RANGE);
    expect(JSON.stringify(shared.body)).not.toMatch(/Spring|Mail|notes|by_tag/);
  });
});

describe('Files by tag', () => {
  beforeEach(async () => {
    const hostile = await aLink([await aTag(FORMULA), await aTag(MARKUP)]);
    await world.record(hostile.id, [
      aClick({ at: NOON + 9, visitor: eve }),
      aClick({ at: NOON + 9, visitor: bob }),
    ]);
  });

  const chosen = { tag: 'mail', filters: JSON.stringify({ tag: [FORMULA] }) };

  async function file(format: string): Promise<Buffer> {
    const query = { scope: 'all', format, ...RANGE, ...chosen, group_by: 'tag' };
    const answer = await world
      .get('/api/v1/export', query, user)
      .buffer(true)
      .parse(((response: Response, done: (error: null, body: Buffer) => void) => {
        const chunks: Buffer[] = [];
        const stream = response as unknown as NodeJS.ReadableStream;
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => done(null, Buffer.concat(chunks)));
      }) as never);
    expect(answer.status).toBe(200);
    return answer.body as Buffer;
  }

  it('json: the statistics response, with unchanged names', async () => {
    const answer = await ask({ ...chosen, group_by: 'tag' });
    expect(answer.metrics.clicks_by_tag).toEqual([
      { tag: 'Mail', clicks: 4, clicks_percentage: 66.67 },
      { tag: 'Spring sale', clicks: 4, clicks_percentage: 66.67 },
      { tag: MARKUP, clicks: 2, clicks_percentage: 33.33 },
      { tag: FORMULA, clicks: 2, clicks_percentage: 33.33 },
    ]);
    const written = JSON.parse((await file('json')).toString()) as Answer;
    expect({ ...written, generated_at: '' }).toEqual({ ...answer, generated_at: '' });
  });

  it('csv and xlsx: a formula is written as text', async () => {
    const zip = await JSZip.loadAsync(await file('csv'));
    expect(Object.keys(zip.files)).toEqual([
      'summary.csv',
      'clicks_by_tag.csv',
      'unique_clicks_by_tag.csv',
    ]);
    expect(await zip.file('unique_clicks_by_tag.csv')!.async('string')).toBe(
      'tag,unique_clicks,unique_clicks_percentage\r\n"Mail",3,100\r\n"Spring sale",3,100\r\n' +
        `"${MARKUP}",2,66.67\r\n"'=HYPERLINK(""https://evil.example"")",2,66.67\r\n`,
    );
    const workbook = new Workbook();
    await workbook.xlsx.load((await file('xlsx')) as never);
    const sheet = workbook.getWorksheet('clicks_by_tag')!;
    expect(sheet.getCell('A4').value).toBe(MARKUP);
    expect(sheet.getCell('A5').value).toBe(`'${FORMULA}`);
    expect(sheet.getCell('A5').formula).toBeUndefined();
  });

  it('xml: markup is written as text', async () => {
    const text = (await file('xml')).toString();
    expect(text).toContain('<tag type="str">&lt;img src=x onerror=alert(1)&gt; &amp; \u05d0</tag>');
    expect(text).toContain(`<tag type="list"><item type="str">${FORMULA}</item>`);
    expect(text).toContain('<notes type="list"><item type="str">A click counts once for each tag');
  });
});
