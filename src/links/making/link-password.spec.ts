import { isComposedWell } from './link-password';

describe('the requirements for a link password', () => {
  it.each(['secret1@x', 'a1.......'.replace('.......', '.xxxxxx'), 'ABC123.def@z', 'pass word1@'])(
    'accept %s',
    (password) => {
      expect(isComposedWell(password)).toBe(true);
    },
  );

  it.each(['12345678@', 'abcdefgh@', 'abcdefg12', 'abcd12@@x', 'abcd12@.x', 'abc..123'])(
    'reject %s',
    (password) => {
      expect(isComposedWell(password)).toBe(false);
    },
  );
});
