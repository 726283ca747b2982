import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ReasonDto } from '../../src/moderation/administration/action/reason.dto';
import { CreateKeyDto } from '../../src/api-keys/api-key.dto';
import { ConditionDto } from '../../src/destinations/destinations.dto';
import { UpdateDomainDto } from '../../src/domains/domain.dto';
import { CreateLinkDto, UpdateLinkDto } from '../../src/links/making/link.dto';
import { CreateReportsDto } from '../../src/moderation/reports/report.dto';
import { CreateTagDto, UpdateTagDto } from '../../src/links/tags/tag.dto';
import { CreateUtmTemplateDto, UpdateUtmTemplateDto } from '../../src/links/utm/utm.dto';

type Body = new () => object;

function isTaken(body: Body, field: string, text: string): boolean {
  const errors = validateSync(plainToInstance(body, { [field]: text }));
  return !errors.some(({ property }) => property === field);
}

const NAMES: readonly (readonly [string, Body])[] = [
  ['name', CreateKeyDto],
  ['description', CreateKeyDto],
  ['name', CreateTagDto],
  ['name', UpdateTagDto],
  ['name', CreateUtmTemplateDto],
  ['campaign', CreateUtmTemplateDto],
  ['name', UpdateUtmTemplateDto],
  ['title', CreateLinkDto],
  ['title', UpdateLinkDto],
  ['note', CreateLinkDto],
  ['reason', ReasonDto],
  ['custom_robots_txt', UpdateDomainDto],
];

describe.each(NAMES)('Text typed as %s of %p', (field, body) => {
  it.each(['a\u001b[2J', 'a\0', 'a\u0085b', 'b\u202egnp', '\u2066a', '\u200b', 'a\ud800'])(
    'cannot be %j',
    (text) => expect(isTaken(body, field, text)).toBe(false),
  );

  it.each(['Spring sale', '=1+1', '<b>', '👨\u200d👩\u200d👧', 'می\u200cخواهم', '🏳\ufe0f\u200d🌈'])(
    'may be %j',
    (text) => expect(isTaken(body, field, text)).toBe(true),
  );
});

describe('The query parameter of a rule', () => {
  it('cannot contain an unpaired surrogate, which no URL can contain', () => {
    expect(isTaken(ConditionDto, 'name', 'a\ud800')).toBe(false);
    expect(isTaken(ConditionDto, 'name', 'a😀\n')).toBe(true);
  });
});

describe('A report', () => {
  it.each([
    '"a\nbcc: v"@example.com',
    'a\nb@example.com',
    'a\u202eb@example.com',
    '\u200b@a.example',
  ])('has no reporter for %j', (email) =>
    expect(isTaken(CreateReportsDto, 'reporter_email', email)).toBe(false),
  );

  it.each(['ada@example.com', ' Ada@example.com ', ''])('may have the email address %j', (email) =>
    expect(isTaken(CreateReportsDto, 'reporter_email', email)).toBe(true),
  );

  it('has spaces in place of characters that could mislead readers', () => {
    const body = {
      reporter_org: 'a\nb\u202ec\u0007',
      items: [{ code_or_url: 'x', reason: 'spam', details: 'a\r\nb\u202ec\u2066' }],
    };
    const report = plainToInstance(CreateReportsDto, body);
    expect(report.reporter_org).toBe('a b c');
    expect(report.items?.[0]?.details).toBe('a\nb c');
  });
});
