import { validateSync } from 'class-validator';
import { VerifyEmailDto } from './accounts.dto';

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
