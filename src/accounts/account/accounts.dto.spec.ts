import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { OwnerProofDto, RegisterDto, UpdateProfileDto, VerifyEmailDto } from './accounts.dto';

function problems(code: unknown): string[] {
  const dto = Object.assign(new VerifyEmailDto(), { code });
  return validateSync(dto).flatMap(({ constraints = {} }) => Object.values(constraints));
}

describe('A one-time code in a request', () => {
  it.each(['123456', '000000'])('%j is accepted', (code) => expect(problems(code)).toEqual([]));

  it.each([
    '',
    '12345',
    '1234567',
    '12345a',
    ' 123456',
    '123456\n',
    '１２３４５６',
    123456,
    null,
    undefined,
  ])('%j is not six digits', (code) => {
    expect(problems(code)).toContain('code must be six digits');
  });
});

describe('The proof of an owner', () => {
  it.each<[object, string[]]>([
    [{ password: 'secret' }, []],
    [{ code: '123456' }, []],
    [{}, ['password']],
    [{ code: null }, ['code']],
    [{ password: 'secret', code: null }, ['code']],
    [{ password: null, code: '123456' }, ['password']],
  ])('in the body %j causes the problems %j', (body, fields) => {
    const found = validateSync(plainToInstance(OwnerProofDto, body));
    expect(found.map(({ property }) => property)).toEqual(fields);
  });
});

describe.each([UpdateProfileDto, RegisterDto])('A user name in %o', (Dto) => {
  const hasProblem = (user_name: unknown): boolean =>
    validateSync(plainToInstance(Dto, { user_name })).some(
      ({ property }) => property === 'user_name',
    );

  it.each(['Ada', ' Ada \n', 'آدا', '👩‍💻', 'x'.repeat(255), '😀'.repeat(255), null, undefined])(
    'may be %j',
    (name) => expect(hasProblem(name)).toBe(false),
  );

  it.each([
    '',
    ' ',
    'a\u0000b',
    'a\nb',
    'a\u001b[2Jb',
    'a\u202egnp',
    'a\u2066b',
    'a\u2028b',
    'a\ud800',
    '\u200b',
    '\u200e\u2060',
    'x'.repeat(256),
    5,
  ])('may not be %j', (name) => expect(hasProblem(name)).toBe(true));

  it('is trimmed', () =>
    expect(plainToInstance(Dto, { user_name: ' Ada\t' }).user_name).toBe('Ada'));
});
