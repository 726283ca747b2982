import { startService, type Service } from '../../support/service';
import { aV0Link, postForm } from '../../support/legacy-requests';

const URL_ = 'https://example.com/A?b=c#d';

describe('POST /', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  describe('refuses with 400', () => {
    const refusals: [string, Record<string, string>, string][] = [
      ['no URL', {}, 'UrlError'],
      ['another scheme', { url: 'ftp://example.com' }, 'UrlError'],
      ['a space in the URL', { url: 'https://example.com/a b' }, 'UrlError'],
      ['a password that is too short', { url: URL_, password: 'a1@' }, 'PasswordError'],
      ['zero clicks', { url: URL_, 'max-clicks': '0' }, 'MaxClicksError'],
    ];
    it.each(refusals)('%s', async (_, fields, key) => {
      const { status, body, headers } = await postForm(service, '/', fields);
      expect(status).toBe(400);
      expect(body).toEqual({ [key]: expect.any(String) });
      expect(headers['x-error-code']).toBe('validation_error');
    });

    it('aliases that are too short, misspelt, reserved or taken, and returns them cut', async () => {
      await aV0Link(service, { alias: 'taken-alias' });
      for (const alias of ['ab', 'a b c', 'ünï', 'stats', 'STATS', 'taken-alias']) {
        const { status, body } = await postForm(service, '/', { url: URL_, alias });
        expect(status).toBe(400);
        const isTaken = alias === 'taken-alias';
        const text = isTaken ? /^Alias already exists/ : /^Invalid alias/;
        expect(body).toEqual({ AliasError: expect.stringMatching(text), alias });
      }
      await aV0Link(service, { alias: 'sixteen-letters-and-more' });
      const again = await postForm(service, '/', { url: URL_, alias: 'sixteen-letters-x' });
      expect(again.body).toEqual({
        AliasError: expect.stringMatching(/^Alias already exists/),
        alias: 'sixteen-letters-',
      });
    });

    it('the first problem in the order of URL, alias, password, max-clicks', async () => {
      const bad = { url: 'x', alias: '!', password: 'x', 'max-clicks': '0' };
      const order = [];
      for (const repair of [{}, { url: URL_ }, { alias: 'in-order' }, { password: 'abcd123@' }]) {
        Object.assign(bad, repair);
        order.push(Object.keys((await postForm(service, '/', bad)).body as object)[0]);
      }
      expect(order).toEqual(['UrlError', 'AliasError', 'PasswordError', 'MaxClicksError']);
    });

    it("a person's form with a page that contains the form and all input except the password", async () => {
      const fields = { url: URL_, alias: 'a!', password: 'Secret1@word', 'max-clicks': '7' };
      const answer = await postForm(service, '/', fields, { accept: 'text/html' });
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
      expect(answer.headers['x-error-code']).toBe('validation_error');
      expect(answer.text).toContain('value="https://example.com/A?b=c#d"');
      expect(answer.text).toContain('value="a!"');
      expect(answer.text).toContain('value="7"');
      expect(answer.text).toContain('aria-invalid="true"');
      expect(answer.text).not.toContain('Secret1@word');
    });
  });

  it('returns 403 for a destination on the operator’s list', async () => {
    const url = 'https://blocked.example/';
    const json = await postForm(service, '/', { url });
    expect(json.status).toBe(403);
    expect(json.body).toEqual({ BlockedUrlError: expect.any(String) });
    expect(json.headers['x-error-code']).toBe('blocked');
    const page = await postForm(service, '/', { url }, { accept: 'text/html' });
    expect(page.status).toBe(403);
    expect(page.text).toContain('<form');
  });
});
