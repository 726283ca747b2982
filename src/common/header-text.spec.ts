import { headerText } from './header-text';

const latin1 = (text: string) => Buffer.from(text).toString('latin1');

describe('The text of a header', () => {
  it.each(['plain', 'münchen', '例え', 'a🦊b', 'ﷺ'])(
    'is read as UTF-8 if it is valid UTF-8: %s',
    (text) => expect(headerText(latin1(text))).toBe(text),
  );

  it.each(['m\xfcnchen', '\xe9', 'caf\xe9/', '\xc3', '\xf0\x9f\xa6', '\xed\xa0\x80', '\xc0\xaf'])(
    'is read as Latin-1 if it is not valid UTF-8: %j',
    (text) => expect(headerText(text)).toBe(text),
  );

  it('may contain both encodings, and characters beyond one byte', () => {
    expect(headerText(`caf\xe9 ${latin1('ü')} ü 例`)).toBe('caf\xe9 ü ü 例');
  });
});
