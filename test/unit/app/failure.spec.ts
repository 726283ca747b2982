import { Failure } from '../../../web/api/failure';

const answer = (status: number, headers: Record<string, string> = {}) =>
  new Response(null, { status, headers });

describe('user-facing messages for API errors', () => {
  it('distinguish errors of one field by status and code', () => {
    const text = (status: number, code: string) =>
      Failure.from(answer(status), { error: 'x', code, field: 'alias' }).fields['alias'];
    const texts = [
      text(422, 'validation_error'),
      text(400, 'validation_error'),
      text(409, 'conflict'),
    ];
    expect(texts).toEqual([
      expect.stringContaining('3 to 16'),
      expect.stringContaining('reserved'),
      expect.stringContaining('taken'),
    ]);
  });

  it('include every field in the response, and members of lists under their list', () => {
    const details = ['long_url', 'expire_after', 'scopes.0'].map((field) => ({
      field,
      error: 'must',
    }));
    const { fields } = Failure.from(answer(422), { error: 'x', code: 'validation_error', details });
    expect(Object.keys(fields)).toEqual(['long_url', 'expire_after', 'scopes']);
    for (const text of Object.values(fields)) expect(text).not.toContain('must');
  });

  it('describe parts of a field by name, and values by their list', () => {
    const refused = (field: string, said = `${field} is odd`) =>
      Failure.from(answer(422), { error: said, code: 'validation_error', field }).fields;
    expect(Object.keys(refused('rules.2.to'))).toEqual(['rules.2.to']);
    expect(refused('rules.2.to')['rules.2.to']).toBe(refused('rules.0.to')['rules.0.to']);
    expect(refused('geo_rules.DE')['geo_rules.DE']).not.toContain('odd');
    expect(Object.keys(refused('rules.0.when.1.values.3'))).toEqual(['rules.0.when.1.values']);
    expect(refused('rules.0.when.1.to')).toEqual({ 'rules.0.when.1.to': 'Is odd' });
  });

  it('use the API’s message for other fields', () => {
    const body = { error: 'novel: is odd', code: 'validation_error', field: 'novel' };
    expect(Failure.from(answer(422), body).fields).toEqual({ novel: 'Is odd' });
  });

  it('say how long a rate limit lasts', () => {
    const said = (seconds: number) =>
      Failure.from(answer(429, { 'Retry-After': String(seconds) }), {
        error: 'Too many requests',
        code: 'rate_limit_exceeded',
      }).said;
    expect(said(42)).toMatch(/reached a limit.* Try again in 4[12] s\.$/);
    expect(said(600)).toMatch(/Try again in 10 min\.$/);
    expect(said(3 * 3600)).toMatch(/Try again in 3 h\.$/);
  });

  it('include the request id of an error, unless a retry is the only option', () => {
    const headers = { 'X-Request-ID': 'req_51bd7a1fe57b' };
    const body = { error: 'Internal error', code: 'internal_error' };
    expect(Failure.from(answer(500, headers), body).said).toMatch(/our side.*req_51bd7a1fe57b$/);
    expect(Failure.from(answer(503, { ...headers, 'Retry-After': '2' }), body).message).toBe(
      'The service is busy or still starting.',
    );
  });
});
