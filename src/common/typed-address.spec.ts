import { typedAddress } from './typed-address';

describe('an address typed into the form', () => {
  it.each([
    ['example.com', 'https://example.com'],
    ['example.com/foo?a=b#c', 'https://example.com/foo?a=b#c'],
    ['www.example.com:8443/x', 'https://www.example.com:8443/x'],
    [
      'example.com?redirect=http://other.example/',
      'https://example.com?redirect=http://other.example/',
    ],
    ['10.0.0.1/wiki', 'https://10.0.0.1/wiki'],
    ['münchen.de/rathaus', 'https://münchen.de/rathaus'],
    [' https://example.com/ \n', 'https://example.com/'],
  ])('%j becomes %j', (typed, address) => expect(typedAddress(typed)).toBe(address));

  it.each([
    'http://example.com/',
    'HTTPS://example.com/',
    'ftp://example.com/',
    'javascript:alert(1)',
    'javascript:alert.call(1)',
    'data:text/html,<b>.x',
    'mailto:somebody@example.com',
    'somebody@example.com',
    'user:secret@example.com/',
    'localhost',
    'two words.example.com',
    '//example.com/',
    '\\\\example.com',
    '/etc/passwd.txt',
    '',
  ])('%j stays unchanged', (typed) => expect(typedAddress(typed)).toBe(typed));
});
