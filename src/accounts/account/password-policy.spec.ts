import { WeakPasswordError } from './accounts.errors';
import { missingRequirements, refuseWeakPassword } from './account-password';

describe('The password policy', () => {
  it.each(Array.from('!@#$%^&*()_+-=[]{};\':"\\|,.<>/?~`'))(
    'counts %s as a special character',
    (c) => {
      expect(missingRequirements(`Abcdef1${c}`)).toEqual([]);
    },
  );

  it('allows whitespace but does not count it as a special character', () => {
    expect(missingRequirements('Abc def 1!\t')).toEqual([]);
    expect(missingRequirements('Abc def 1')).toEqual(['a special character']);
  });

  it.each(['Abcdef1!é', 'Abcdef1!😀', 'Abcdef1!\u0000', 'Abcdef1!§', 'Abcdef1!１'])(
    'rejects %j, which contains a disallowed character',
    (password) => {
      expect(missingRequirements(password)).toEqual([expect.stringMatching(/^only letters/)]);
    },
  );

  it('does not accept letters and digits of other scripts as the required ones', () => {
    expect(missingRequirements('ÀÉabc123!')).toContain('an upper-case letter');
    expect(missingRequirements('ABCdef١٢!')).toContain('a digit');
  });

  it('throws an error that lists all unmet requirements', () => {
    expect.assertions(2);
    try {
      refuseWeakPassword('        ');
    } catch (error) {
      expect(error).toBeInstanceOf(WeakPasswordError);
      expect((error as WeakPasswordError).details).toEqual({
        missing_requirements: [
          'an upper-case letter',
          'a lower-case letter',
          'a digit',
          'a special character',
        ],
      });
    }
  });
});
