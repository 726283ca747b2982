import { parseDeletedAccounts } from './deleted-accounts';

const [A, B] = ['a'.repeat(24), 'b'.repeat(24)] as const;
const entry = (act: string, id: unknown) => JSON.stringify({ act, subject: { kind: 'x', id } });

describe('The accounts that a restore deletes', () => {
  it.each<[string, string, string[]]>([
    ['a list of ids', `${A}\n\n ${B} \r\n${A}\n`, [A, B]],
    ['a trail', [entry('account.suspend', B), entry('account.delete', A)].join('\n'), [A]],
    ['an empty file', '', []],
  ])('are the accounts of %s', (_, text, ids) => {
    expect(parseDeletedAccounts(text)).toEqual(ids);
  });

  it.each([`${A}\nada@example.com`, '{"id":1}', 'null', entry('account.delete', 5)])(
    'cannot be read from %j',
    (text) => {
      expect(() => parseDeletedAccounts(text)).toThrow(/^Line \d is neither/);
    },
  );
});
