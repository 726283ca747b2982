import type request from 'supertest';

export const SCRIPT = '<script>alert(1)</script>';
export const QUOTES = `"'><img src=x onerror=alert(1)>`;
export const FORMULA = "=cmd|'/c calc'!A1";
export const BACKWARDS = '\u202egpj.exe';
export const LINES = 'a\r\nSet-Cookie: evil=1\r\n\r\n<b>';

/** Texts that an attacker could plant in a page, file or header. */
export const HOSTILE = [
  SCRIPT,
  QUOTES,
  FORMULA,
  BACKWARDS,
  LINES,
  '__proto__',
  '@SUM(1)',
  '-1+1',
] as const;

/** Markup that only an injected text can produce. */
export const PLANTED = /<script(?! src="\/static\/[\w-]+\.js" defer>)|<img|<b>|\u202e|\u2028/i;

/** Expects a page without injected markup and with a policy that would block it. */
export function expectClean(answer: request.Response): void {
  expect(answer.text).not.toMatch(PLANTED);
  expect(answer.headers['set-cookie']).toBeUndefined();
  expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
}
