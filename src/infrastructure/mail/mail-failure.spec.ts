import { plainAnswer } from './mail-sender';

describe('the logged part of a mail server’s response', () => {
  it.each([
    ['535 5.7.8 Error: authentication failed', '535 5.7.8 Error: authentication failed'],
    ['550 5.1.1 <ann@example.com>: no such mailbox', '550 5.1.1 … no such mailbox'],
    ['554 spam: "123456 is your verification code"', '554 spam: "… is your verification code"'],
    ['501 cannot decode AHVzZXIAZ2VoZWltZ2VoZWlt', '501 cannot decode …'],
    ['421-first\r\n421 second\u001b[2J', '421-first 421 second [2J'],
  ])('%j is logged as %j', (answer, told) => {
    expect(plainAnswer(answer)).toBe(told);
  });

  it('is short', () => {
    expect(plainAnswer('word '.repeat(1000)).length).toBeLessThanOrEqual(200);
  });
});
