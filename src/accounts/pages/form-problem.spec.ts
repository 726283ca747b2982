import { BadRequestError, CurtailError, UnprocessableError } from '../../common/errors';
import { toFormProblem } from './form-field';

const WORDS = { email: 'Type your address.', password: 'Enter your password.' };

describe('problems of a form', () => {
  it('have messages for users, one for each field, in the order of the fields', () => {
    const error = new UnprocessableError([
      { field: 'email', error: 'must be an email' },
      { field: 'password', error: 'is required' },
      { field: 'next', error: 'is not a field of the form' },
    ]);
    expect(toFormProblem(error, WORDS)).toEqual({ message: null, fields: WORDS });
  });

  it('list the unmet password requirements together with the other problems', () => {
    const error = UnprocessableError.forField('email', 'must be an email');
    expect(toFormProblem(error, WORDS, { password: 'lower-case-1' }).fields).toEqual({
      email: WORDS.email,
      password: 'The password needs an upper-case letter.',
    });
    expect(toFormProblem(error, WORDS, { password: 'Str0ng-one' }).fields).toEqual({
      email: WORDS.email,
    });
  });

  it('appear above the form if they concern no single field', () => {
    const odd = UnprocessableError.forField('input', 'the body could not be read');
    expect(toFormProblem(odd, WORDS)).toEqual({
      message: 'input: the body could not be read.',
      fields: {},
    });
    const late = new CurtailError(429, 'rate_limit_exceeded', 'Try again in 5 seconds');
    expect(toFormProblem(late, WORDS)).toEqual({ message: 'Try again in 5 seconds.', fields: {} });
  });

  it('appear next to the field that they concern', () => {
    const weak = new BadRequestError('The password needs a digit', 'password');
    expect(toFormProblem(weak, WORDS).fields).toEqual({ password: 'The password needs a digit.' });
    const elsewhere = new BadRequestError('The state is spent', 'state');
    expect(toFormProblem(elsewhere, WORDS).message).toBe('The state is spent.');
    expect(toFormProblem(new BadRequestError('No', 'constructor'), WORDS).fields).toEqual({});
  });
});
