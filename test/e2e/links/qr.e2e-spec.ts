import jsQr from 'jsqr';
import { PNG } from 'pngjs';
import request from 'supertest';
import { crc32, deflateSync } from 'node:zlib';
import { ApiClient } from '../../support/api-client';
import { aLink } from '../../support/factories/links';
import { anAddress, shorten } from '../../support/http';
import { type Service, startService } from '../../support/service';

function aLogo(width = 64, height = 48): Buffer {
  const picture = new PNG({ width, height });
  for (let at = 0; at < picture.data.length; at += 4) picture.data.set([220, 30, 60, 255], at);
  return PNG.sync.write(picture);
}

function read(png: Buffer): string | undefined {
  const { width, height, data } = PNG.sync.read(png);
  return jsQr(new Uint8ClampedArray(data), width, height)?.data;
}

describe('QR codes', () => {
  let service: Service;
  let owner: ApiClient;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(() => service.stop());

  const get = (path: string, query: object = {}, headers: Record<string, string> = {}) =>
    request(service.url)
      .get(path)
      .query(query)
      .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json', ...headers })
      .buffer(true)
      .redirects(0);
  const png = async (code: string, query: object = {}): Promise<Buffer> => {
    const answer = await get(`/${code}/qr.png`, query);
    expect(answer.status).toBe(200);
    return answer.body as Buffer;
  };
  const svg = async (code: string, query: object = {}): Promise<string> => {
    const answer = await get(`/${code}/qr.svg`, query);
    expect(answer.status).toBe(200);
    return (answer.body as Buffer).toString();
  };
  const putLogo = (body: Buffer, type = 'image/png') =>
    request(service.url)
      .put('/api/v1/qr/logo')
      .set({
        'X-Forwarded-For': anAddress(),
        Authorization: `Bearer ${owner.account.accessToken}`,
        'Content-Type': type,
      })
      .send(body);

  describe('as pictures', () => {
    it('are available to all callers, with the headers in the contract', async () => {
      const { alias, short_url } = await aLink(service);
      const picture = await get(`/${alias}/qr.png`);
      expect(picture.headers).toMatchObject({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=3600',
        'x-robots-tag': 'noindex',
        etag: expect.stringMatching(/^"[\w-]{22}"$/) as string,
      });
      expect(picture.headers['content-disposition']).toBeUndefined();
      expect(read(picture.body as Buffer)).toBe(short_url);
      const drawing = await get(`/${alias}/qr.svg`);
      expect(drawing.headers).toMatchObject({
        'content-type': 'image/svg+xml; charset=utf-8',
        'content-security-policy': "default-src 'none'",
        'x-robots-tag': 'noindex',
      });
      expect((drawing.body as Buffer).toString()).toMatch(/^<svg [^>]*width="256" height="256"/);
    });

    it('support all parameters', async () => {
      const { alias, short_url } = await aLink(service);
      const query = {
        size: 400,
        margin: 1,
        level: 'H',
        dark: '1d4ed8',
        light: 'FFFC',
        track: 'true',
      };
      const picture = PNG.sync.read(await png(alias, query));
      expect([picture.width, picture.height]).toEqual([400, 400]);
      expect(picture.data.subarray(0, 4)).toEqual(Buffer.from([255, 255, 255, 0xcc]));
      expect(read(await png(alias, query))).toBe(`${short_url}?qr=1`);
      expect(await svg(alias, query)).toContain('fill="#1d4ed8"');
      const saved = await get(`/${alias}/qr.svg`, { download: 'true' });
      expect(saved.headers['content-disposition']).toBe(`attachment; filename="${alias}.svg"`);
    });

    it('accept a tracking code like any other destination, and count it', async () => {
      const { alias, long_url } = await aLink(service);
      const answer = await get(`/${alias}?qr=1`);
      expect([answer.status, answer.headers.location]).toEqual([302, long_url]);
    });

    it('are identical from the cache, and new after any change', async () => {
      const { id, alias } = await owner.aLink();
      const asked = { size: 300, download: 'true' };
      const question = `/${alias}/qr.png`;
      // Rate-limit headers and the request id differ in every response.
      const lasting = ({ status, headers, body }: Awaited<ReturnType<typeof get>>) => {
        const own = /^(?:date|x-request-id|x-ratelimit-re.*)$/;
        const kept = Object.entries(headers as object).filter(([name]) => !own.test(name));
        return { status, body: body as Buffer, headers: Object.fromEntries(kept) as unknown };
      };
      const first = lasting(await get(question, asked));
      expect(lasting(await get(question, asked))).toEqual(first);
      const through = lasting(await get(question, asked, { Cookie: 'other=1' }));
      expect(through).toEqual(first);
      await owner.call('put', `/api/v1/urls/${id}/qr`, { dark: '0000aa' }).expect(200);
      const changed = lasting(await get(question, asked));
      expect(changed.body.equals(first.body)).toBe(false);
      await owner.remove(id).expect(200);
      expect((await get(question, asked)).status).toBe(404);
    });

    it('count towards the limit even if they are cached', async () => {
      const { alias } = await aLink(service);
      const visitor = { 'X-Forwarded-For': anAddress() };
      const remaining = [];
      for (let i = 0; i < 3; i++) {
        const { headers } = await get(`/${alias}/qr.svg`, {}, visitor);
        remaining.push(Number(headers['x-ratelimit-remaining']));
      }
      expect(remaining).toEqual([59, 58, 57]);
      for (let i = 3; i < 60; i++) await get(`/${alias}/qr.svg`, {}, visitor);
      const refused = await get(`/${alias}/qr.svg`, {}, visitor);
      expect(refused.status).toBe(429);
      expect(refused.headers['x-ratelimit-remaining']).toBe('0');
      expect(refused.body).toMatchObject({ code: 'rate_limit_exceeded' });
    });

    it('are not sent again to clients that have cached them', async () => {
      const { alias } = await aLink(service);
      const { etag } = (await get(`/${alias}/qr.png`)).headers;
      const again = await get(`/${alias}/qr.png`, {}, { 'If-None-Match': etag ?? '' });
      expect([again.status, again.headers.etag]).toEqual([304, etag]);
      expect(again.headers['cache-control']).toBe('public, max-age=3600');
      const other = await get(`/${alias}/qr.png`, { size: 300 }, { 'If-None-Match': etag ?? '' });
      expect(other.status).toBe(200);
      const head = await request(service.url)
        .head(`/${alias}/qr.png`)
        .set('X-Forwarded-For', anAddress());
      expect([head.status, head.headers.etag]).toEqual([200, etag]);
    });

    it('exist even for links that redirect no visitors or only some', async () => {
      const links = await Promise.all([
        owner.aLink({ password: 'secret1@' }),
        owner.aLink({ private_stats: true, max_clicks: 1 }),
        owner.aLink(),
      ]);
      await owner.setStatus(links[2].id, 'INACTIVE');
      for (const { alias, short_url } of links) expect(read(await png(alias))).toBe(short_url);
    });

    it('contain percent-encoded emoji, and return an error for text that is too long', async () => {
      const made = await request(service.url)
        .post('/emoji')
        .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json' })
        .type('form')
        .send({ url: 'https://example.com/emoji', emojies: '🐙🐚🐛' });
      expect(made.status).toBe(200);
      const code = encodeURIComponent('🐙🐚🐛');
      expect(read(await png(code))).toBe(
        `${service.url}/${code}`.replace('127.0.0.1', 'localhost'),
      );
      const saved = await get(`/${code}/qr.png`, { download: 'true' });
      expect(saved.headers['content-disposition']).toBe(
        `attachment; filename="qr.png"; filename*=UTF-8''${code}.png`,
      );
      const long = '🐙'.repeat(15);
      await request(service.url)
        .post('/emoji')
        .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json' })
        .type('form')
        .send({ url: 'https://example.com/emoji', emojies: long });
      const refused = await get(`/${encodeURIComponent(long)}/qr.svg`, { level: 'H' });
      expect([refused.status, refused.body.code]).toEqual([400, 'validation_error']);
      expect((await get(`/${encodeURIComponent(long)}/qr.svg`, { level: 'L' })).status).toBe(200);
    });

    it.each([
      ['size', '63'],
      ['size', '2049'],
      ['size', '1e3'],
      ['margin', '17'],
      ['margin', '-1'],
      ['level', 'm'],
      ['dark', 'red'],
      ['dark', 'transparent'],
      ['dark', '12345'],
      ['light', '#ffffff'],
      ['logo', '1'],
      ['download', 'yes'],
      ['track', ''],
    ])('reject %s=%s', async (field, value) => {
      const { alias } = await aLink(service);
      const answer = await get(`/${alias}/qr.png`, { [field]: value });
      expect([answer.status, answer.body.code, answer.body.field]).toEqual([
        422,
        'validation_error',
        field,
      ]);
    });

    it.each([
      ['dark', { dark: '777777' }],
      ['dark', { dark: 'ffffff', light: '000000' }],
      ['dark', { dark: '00000040' }],
      ['logo', { logo: 'true' }],
      ['size', { size: 64, margin: 16 }],
    ])(
      'return %s for codes that a scanner could not read, and for unknown codes',
      async (field, query) => {
        const { alias } = await owner.aLink();
        const answer = await get(`/${alias}/qr.png`, query);
        expect([answer.status, answer.body.field]).toEqual([400, field]);
        expect(answer.headers.etag).toBeUndefined();
      },
    );

    it.each(['/nowhere-at-all/qr.svg', '/stats/qr.svg', '/api/qr.png', '/%00/qr.png'])(
      'of %s return 404',
      async (path) => {
        expect((await get(path)).status).toBe(404);
      },
    );

    it('have no other formats', async () => {
      const { alias } = await aLink(service);
      expect((await get(`/${alias}/qr.gif`)).status).toBe(404);
      expect((await get(`/${alias}/qr`)).status).toBe(404);
    });

    it('are correct for many concurrent requests', async () => {
      const { alias } = await aLink(service);
      const sizes = Array.from({ length: 20 }, (_, i) => 100 + (i % 10) * 50);
      const pictures = await Promise.all(sizes.map((size) => png(alias, { size })));
      expect(pictures.map((picture) => PNG.sync.read(picture).width)).toEqual(sizes);
    });
  });

  describe("with their owner's style", () => {
    const settings = (id: string) => owner.call('get', `/api/v1/urls/${id}/qr`);
    const change = (id: string, style: object) => owner.call('put', `/api/v1/urls/${id}/qr`, style);
    const USUAL = {
      size: 256,
      margin: 4,
      level: 'M',
      dark: '000000',
      light: 'ffffff',
      logo: false,
      track: false,
    };

    it('have default values at first', async () => {
      const { id, short_url } = await owner.aLink();
      const { status, body } = await settings(id);
      expect([status, body]).toEqual([
        200,
        {
          svg_url: `${short_url}/qr.svg`,
          png_url: `${short_url}/qr.png`,
          style: USUAL,
          scannable: true,
          quiet_zone: true,
          version: expect.any(Number) as number,
          modules: expect.any(Number) as number,
        },
      ]);
      expect(body.modules).toBe(17 + 4 * body.version);
    });

    it('keep a style, which a query overrides and another PUT replaces', async () => {
      const { id, alias, short_url } = await owner.aLink();
      expect((await svg(alias)).includes('#ff0000')).toBe(false);
      const style = { dark: 'F00', light: '0000', margin: 2, track: true };
      const kept = await change(id, { ...style, dark: '900' });
      expect([kept.status, kept.body.quiet_zone]).toEqual([200, false]);
      expect(kept.body.style).toEqual({
        ...USUAL,
        dark: '990000',
        light: '00000000',
        margin: 2,
        track: true,
      });
      expect((await settings(id)).body).toEqual(kept.body);
      expect(await svg(alias)).toContain('fill="#990000"');
      expect(await svg(alias, { dark: '000080' })).toContain('fill="#000080"');
      expect(read(await png(alias, { light: 'fff' }))).toBe(`${short_url}?qr=1`);
      const renewed = await change(id, { size: 512 });
      expect(renewed.body.style).toEqual({ ...USUAL, size: 512 });
      expect((await change(id, {})).body.style).toEqual(USUAL);
      expect((await owner.show(id)).status).toBe(200);
    });

    it('do not change other properties of the link', async () => {
      const { id } = await owner.aLink({ max_clicks: 3 });
      const before = (await owner.show(id)).body as object;
      await change(id, { track: true });
      expect((await owner.show(id)).body).toEqual(before);
      expect((await owner.list()).body.items).toEqual([before]);
    });

    it.each([
      [{ size: '256' }, 422, 'size'],
      [{ size: 10 }, 422, 'size'],
      [{ logo: 'true' }, 422, 'logo'],
      [{ colour: 'fff', dark: 5 }, 422, 'dark'],
      [{ drak: '000' }, 422, 'drak'],
      [{ dark: 'eee' }, 400, 'dark'],
      [{ logo: true }, 400, 'logo'],
      [{ size: 64 }, 400, 'size'],
    ])('reject %j', async (style, status, field) => {
      const { id } = await owner.aLink();
      const answer = await change(id, style);
      expect([answer.status, answer.body.field]).toEqual([status, field]);
    });

    it('cannot be read by other accounts', async () => {
      const { id } = await (await ApiClient.on(service)).aLink();
      expect((await settings(id)).status).toBe(403);
      expect((await change(id, {})).status).toBe(403);
      expect((await settings('f'.repeat(24))).status).toBe(404);
      expect((await settings('x')).status).toBe(400);
      const { body } = await shorten(service, { long_url: 'https://example.com' });
      expect((await change((body as { id: string }).id, {})).status).toBe(403);
    });
  });

  describe('with a logo', () => {
    it('contain it in the middle, and remain readable', async () => {
      const { alias, short_url, id } = await owner.aLink();
      const stored = await putLogo(aLogo());
      expect([stored.status, stored.body]).toEqual([
        200,
        { width: 64, height: 48, bytes: expect.any(Number) as number },
      ]);
      const picture = await png(alias, { logo: 'true', size: 512 });
      expect(read(picture)).toBe(short_url);
      const { data } = PNG.sync.read(picture);
      expect([...data.subarray((256 * 512 + 256) * 4, (256 * 512 + 256) * 4 + 4)]).toEqual([
        220, 30, 60, 255,
      ]);
      const drawing = await get(`/${alias}/qr.svg`, { logo: 'true' });
      expect(drawing.headers['content-security-policy']).toBe("default-src 'none'; img-src data:");
      expect((drawing.body as Buffer).toString()).toContain('href="data:image/png;base64,');
      const { body } = await owner.call('put', `/api/v1/urls/${id}/qr`, { logo: true });
      expect(body.style).toMatchObject({ logo: true, level: 'Q' });
    });

    it('change with the logo, and also work without it', async () => {
      const { alias, id } = await owner.aLink();
      await putLogo(aLogo());
      await owner.call('put', `/api/v1/urls/${id}/qr`, { logo: true });
      const first = (await get(`/${alias}/qr.svg`)).headers.etag;
      await putLogo(aLogo(32, 32));
      expect((await get(`/${alias}/qr.svg`)).headers.etag).not.toBe(first);
      const removed = await owner.call('delete', '/api/v1/qr/logo');
      expect([removed.status, removed.body]).toEqual([200, { success: true }]);
      expect(await svg(alias)).not.toContain('<image');
      expect((await owner.call('get', `/api/v1/urls/${id}/qr`)).body.style.logo).toBe(false);
      expect((await get(`/${alias}/qr.svg`, { logo: 'true' })).status).toBe(400);
      expect((await owner.call('get', '/api/v1/qr/logo')).status).toBe(404);
    });

    it('store only the pixels of the logo', async () => {
      const { body } = await putLogo(withText(aLogo(600, 300)));
      expect(body).toMatchObject({ width: 256, height: 128 });
      const kept = await owner.call('get', '/api/v1/qr/logo').buffer(true);
      expect(kept.headers).toMatchObject({
        'content-type': 'image/png',
        'cache-control': 'no-store',
      });
      const bytes = kept.body as Buffer;
      expect(bytes.includes('secret place')).toBe(false);
      expect(PNG.sync.read(bytes)).toMatchObject({ width: 256, height: 128 });
    });

    it.each([
      ['no PNG', Buffer.from('GIF89a'), 422],
      ['nothing', Buffer.alloc(0), 422],
      ['one that is cut off', aLogo().subarray(0, 60), 422],
      ['one with a damaged part', damaged(aLogo()), 422],
      ['one that is too small', aLogo(31, 40), 422],
      ['one that is too wide', aLogo(1025, 40), 422],
      ['an animated one', animated(aLogo()), 422],
      ['one that unpacks to far more than it says', bomb(), 422],
      ['one of too many bytes', Buffer.concat([aLogo(), Buffer.alloc(256 * 1024)]), 413],
    ])('reject %s', async (_, body, status) => {
      const answer = await putLogo(body);
      expect(answer.status).toBe(status);
    });

    it('reject other file types, and all keys', async () => {
      expect((await putLogo(aLogo(), 'application/octet-stream')).status).toBe(422);
      const key = await owner.withKey('admin:all');
      expect((await key.call('get', '/api/v1/qr/logo')).status).toBe(403);
    });
  });
});

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const typed = Buffer.concat([Buffer.from(type), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}

/** Inserts a chunk after the 33 bytes of signature and header. */
function withChunk(png: Buffer, added: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, 33), added, png.subarray(33)]);
}

function withText(png: Buffer): Buffer {
  return withChunk(png, chunk('tEXt', Buffer.from('Comment\0a secret place')));
}

function animated(png: Buffer): Buffer {
  return withChunk(png, chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])));
}

function damaged(png: Buffer): Buffer {
  const copy = Buffer.from(png);
  copy[50] = (copy[50] ?? 0) ^ 0xff;
  return copy;
}

/** An interlaced image, which is decompressed in full. */
function bomb(): Buffer {
  const header = Buffer.from([0, 0, 0, 32, 0, 0, 0, 32, 8, 6, 0, 0, 1]);
  return Buffer.concat([
    aLogo().subarray(0, 8),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(64 * 1024 * 1024))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
