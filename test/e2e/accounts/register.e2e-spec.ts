import { anAccount, anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { claimsOf, post } from '../../support/http';
import { mailsTo } from '../../support/outbox';
import { Service, startService } from '../../support/service';

describe('POST /auth/register', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  const register = (body: object) => post(service, '/auth/register', body);

  it('creates an account, signs it in and sends a code', async () => {
    const email = anEmail();
    const answer = await register({
      email: ` ${email.toUpperCase()} `,
      password: STRONG_PASSWORD,
      user_name: 'Ann Ö',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      user: {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        email,
        email_verified: false,
        user_name: 'Ann Ö',
        plan: 'free',
        role: 'user',
        password_set: true,
        auth_providers: [],
        pfp: null,
        deletes_at: null,
      },
      requires_verification: true,
      verification_sent: true,
    });
    const [access, refresh] = answer.get('Set-Cookie') ?? [];
    expect(access).toMatch(/^access_token=[^;]+; Max-Age=900; Path=\/; .*HttpOnly; SameSite=Lax$/);
    expect(refresh).toMatch(/^refresh_token=[^;]+; Max-Age=2592000; Path=\/; .*HttpOnly; SameS/);
    expect(mailsTo(service, email)).toHaveLength(1);
  });

  it('issues access tokens with exactly the claims in the contract', async () => {
    const { accessToken, userId, email } = await anAccount(service);
    const header = Buffer.from(accessToken.split('.')[0]!, 'base64url').toString();
    const claims = claimsOf(accessToken);
    expect(JSON.parse(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(claims).toEqual({
      iss: 'curtail',
      sid: expect.stringMatching(/^[0-9a-f]{24}$/),
      aud: 'curtail-api',
      sub: userId,
      iat: expect.any(Number),
      exp: Number(claims.iat) + 900,
      amr: ['pwd'],
      email,
      email_verified: false,
    });
  });

  it('rejects a registered email in upper or lower case', async () => {
    const { email } = await anAccount(service);
    const answer = await register({ email: email.toUpperCase(), password: STRONG_PASSWORD });
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect(answer.get('Set-Cookie')).toBeUndefined();
  });

  it('creates one account from ten concurrent registrations with the same email', async () => {
    const email = anEmail();
    const input = { email, password: STRONG_PASSWORD };
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(input)));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  it.each([
    ['lower1!lower', ['an upper-case letter']],
    ['UPPER1!UPPER', ['a lower-case letter']],
    ['NoDigits!!', ['a digit']],
    ['NoSpecial11', ['a special character']],
    ['Pässw0rd!!', [expect.stringContaining('only letters')]],
    ['aaaaaaaa', ['an upper-case letter', 'a digit', 'a special character']],
  ])(
    'returns 400 for the weak password %s and lists the unmet requirements',
    async (password, missing) => {
      const answer = await register({ email: anEmail(), password });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        code: 'validation_error',
        field: 'password',
        details: { missing_requirements: missing },
      });
    },
  );

  const malformed: [object, string][] = [
    [{}, 'details'],
    [{ email: 'a@example.com' }, 'password'],
    [{ email: 'a@example.com', password: 'Sh0rt-!' }, 'password'],
    [{ email: 'a@example.com', password: `A1!${'a'.repeat(126)}` }, 'password'],
    [{ email: 'a@example.com', password: 12345678 }, 'password'],
    [{ email: 'a@example.com', password: STRONG_PASSWORD, user_name: '' }, 'user_name'],
    [
      { email: 'a@example.com', password: STRONG_PASSWORD, user_name: 'x'.repeat(256) },
      'user_name',
    ],
    ...[
      'ann',
      '@example.com',
      'ann@',
      'ann@ex ample.com',
      'a@b@example.com',
      'ann@example.com\r\nBcc: eve@example.com',
      `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(10)}.com`,
      7,
      null,
    ].map((email): [object, string] => [{ email, password: STRONG_PASSWORD }, 'email']),
  ];
  it.each(malformed)('returns 422 for %j', async (body, field) => {
    const answer = await register(body);
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_error']);
    if (field === 'details') expect(answer.body.details).toHaveLength(2);
    else expect(answer.body.field).toBe(field);
  });

  it.each(['ann@localhost', 'ann@box.test', 'ann@host.local', 'ann@nowhere.invalid'])(
    'accepts the special-use address %s',
    async (email) => {
      expect((await register({ email, password: STRONG_PASSWORD })).status).toBe(201);
    },
  );

  it('allows five requests a minute from one address', async () => {
    const call = () => post(service, '/auth/register', {}).set('X-Forwarded-For', '198.51.100.7');
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await call()).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  });
});
