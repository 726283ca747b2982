import { anAddress, visit } from '../../support/http';
import { startService, type Service } from '../../support/service';
import { getPath, postForm } from '../../support/legacy-requests';

const URL_ = 'https://example.com/emoji';

describe('/emoji', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('generates three emoji, which are not escaped in the short URL', async () => {
    const { status, body } = await postForm(service, '/emoji', { url: URL_ });
    expect(status).toBe(200);
    expect(body).toEqual({
      short_url: expect.stringMatching(
        new RegExp(`^http://localhost:${service.port}/\\p{Emoji_Presentation}{3}$`, 'u'),
      ),
      domain: 'localhost',
      original_url: URL_,
    });
  });

  it('accepts requested emoji and finds the link with and without the variation selector', async () => {
    const { body } = await postForm(service, '/emoji', { url: URL_, emojies: '❤️🚀' });
    expect(body.short_url).toBe(`http://localhost:${service.port}/❤🚀`);
    for (const code of ['❤🚀', '❤\ufe0f🚀', '❤\ufe0f🚀\ufe0f']) {
      const answer = await visit(service, encodeURIComponent(code));
      expect(answer.status).toBe(302);
      expect(answer.headers.location).toBe(URL_);
    }
  });

  it('also supports GET, with a query string', async () => {
    const query = { url: URL_, emojies: '🌵🦊' };
    const json = await getPath(service, '/emoji', { query, accept: 'application/json' });
    expect(json.body.short_url).toContain('/🌵🦊');
    const page = await getPath(service, '/emoji', { query: { url: URL_, emojies: '🌵🦊🌵' } });
    expect(page.status).toBe(302);
    expect(page.headers.location).toBe(`/result/${encodeURIComponent('🌵🦊🌵')}`);
    const result = await getPath(service, String(page.headers.location));
    expect(result.status).toBe(200);
    expect(result.text).toContain(`http://localhost:${service.port}/🌵🦊🌵`);
  });

  it.each([
    ['a flag', '🇩🇪'],
    ['sixteen of them', '🚀'.repeat(16)],
  ])('rejects %s with EmojiError', async (_, emojies) => {
    const { status, body } = await postForm(service, '/emoji', { url: URL_, emojies });
    expect(status).toBe(400);
    expect(body).toEqual({ EmojiError: expect.stringMatching(/^Invalid emoji/) });
    const page = await postForm(service, '/emoji', { url: URL_, emojies }, { accept: 'text/html' });
    expect(page.status).toBe(400);
    expect(page.text).toContain('<html');
  });

  it('accepts fifteen emoji', async () => {
    const emojies = '🚀'.repeat(15);
    expect((await postForm(service, '/emoji', { url: URL_, emojies })).status).toBe(200);
    expect((await visit(service, encodeURIComponent(emojies))).status).toBe(302);
  });

  it('rejects emoji that another link has, with any variation selectors', async () => {
    await postForm(service, '/emoji', { url: URL_, emojies: '☀' });
    const { status, body } = await postForm(service, '/emoji', { url: URL_, emojies: '☀️' });
    expect(status).toBe(400);
    expect(body).toEqual({ EmojiError: expect.stringMatching(/^Emoji already exists/) });
  });

  it('returns a missing URL as JSON to every caller, and other URL errors as requested', async () => {
    for (const answer of [
      await getPath(service, '/emoji'),
      await postForm(service, '/emoji', {}, { accept: 'text/html' }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ UrlError: expect.any(String) });
    }
    const page = await getPath(service, '/emoji', { query: { url: 'ftp://x' } });
    expect(page.status).toBe(400);
    expect(page.headers['content-type']).toContain('text/html');
    const json = await postForm(service, '/emoji', { url: 'ftp://x' });
    expect(json.body).toEqual({ UrlError: expect.any(String) });
  });

  it('returns 403 UrlError for a destination on the operator’s list', async () => {
    const answer = await postForm(service, '/emoji', { url: 'https://blocked.example/' });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ UrlError: expect.any(String) });
    expect(answer.headers['x-error-code']).toBe('blocked');
  });

  it('checks the URL, emoji, password and max-clicks in this order', async () => {
    const bad = { url: 'x', emojies: 'x', password: 'x', 'max-clicks': 'x' };
    const order = [];
    for (const repair of [{}, { url: URL_ }, { emojies: '🦎' }, { password: 'abcd123@' }]) {
      Object.assign(bad, repair);
      order.push(Object.keys((await postForm(service, '/emoji', bad)).body as object)[0]);
    }
    expect(order).toEqual(['UrlError', 'EmojiError', 'PasswordError', 'MaxClicksError']);
  });

  it('counts GET and POST in one window of 5 requests a minute', async () => {
    const address = anAddress();
    for (let i = 0; i < 3; i++) await postForm(service, '/emoji', {}, { address });
    for (let i = 0; i < 2; i++) await getPath(service, '/emoji', { address });
    const answer = await getPath(service, '/emoji', { address, accept: null });
    expect(answer.status).toBe(429);
    expect(answer.body.hint).toBe('Move to POST /api/v1/shorten for higher limits; see /docs');
  });
});
