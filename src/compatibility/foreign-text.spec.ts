import { fitTitle, withScheme } from './foreign-text';

describe("Texts from other shorteners' clients", () => {
  it.each([
    ['example.com/a', 'http://example.com/a'],
    [' example.com:8080/a ', 'http://example.com:8080/a'],
    ['localhost:3000', 'http://localhost:3000'],
    ['https://example.com', 'https://example.com'],
    ['HTTP://example.com', 'HTTP://example.com'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
    ['  ', ''],
  ])('are read as addresses: %j as %j', (typed, address) => {
    expect(withScheme(typed)).toBe(address);
  });

  it.each([
    ['Spring sale', 'Spring sale'],
    [' Spring\r\n\tsale\u2028now ', 'Spring sale now'],
    ['<b>"&🌷', '<b>"&🌷'],
    ['a\u202eb', 'a b'],
    ['half \ud800', 'half \ufffd'],
    ['\u0000\u200b', null],
    ['', null],
  ])('are changed to valid titles: %j to %j', (sent, title) => {
    expect(fitTitle(sent)).toBe(title);
  });

  it('are cut to titles of 200 characters, and an emoji counts once', () => {
    expect(fitTitle('🌷'.repeat(300))).toBe('🌷'.repeat(200));
    expect(fitTitle(`${'a'.repeat(199)} b`)).toBe('a'.repeat(199));
  });
});
