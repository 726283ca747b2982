import { refusedField } from '../../../test/support/shared/refused-field';
import { CreateLinkDto } from '../making/link.dto';
import { CreateUtmTemplateDto, UpdateUtmTemplateDto } from './utm.dto';

const BAD_VALUES = ['', '  ', 'x'.repeat(101), 'a\u0000b', 'a\nb', 'a\u0085b', '\ud800', 5, {}, []];

describe('The body of a UTM template', () => {
  it.each<[object, string | null]>([
    [{ name: ' x ', source: ' y ' }, null],
    [{ name: 'x', campaign: `${'🦊'.repeat(99)}<`, term: null }, null],
    [{ source: 'x' }, 'name'],
    [{ name: ' ', source: 'x' }, 'name'],
    [{ name: 'x'.repeat(61), source: 'x' }, 'name'],
    [{ name: 'a\tb', source: 'x' }, 'name'],
    [{ name: 7, source: 'x' }, 'name'],
    [{ name: 'x', source: 'y', mediun: 'z' }, 'mediun'],
    ...BAD_VALUES.map((content): [object, string] => [{ name: 'x', content }, 'content']),
  ])('%j is rejected at %s in POST', async (body, field) => {
    expect(await refusedField(CreateUtmTemplateDto, body)).toBe(field);
  });

  it.each<[object, string | null]>([
    [{}, null],
    [{ source: null, name: null }, null],
    [{ term: 'a\u0000' }, 'term'],
  ])('%j is rejected at %s in PATCH', async (body, field) => {
    expect(await refusedField(UpdateUtmTemplateDto, body)).toBe(field);
  });
});

describe('The UTM values of a link', () => {
  it.each<[unknown, string | null]>([
    [null, null],
    [{ source: 'news', overwrite: true }, null],
    [{ template: 'x' }, null],
    [{}, 'utm'],
    [{ overwrite: true }, 'utm'],
    [{ source: null, template: null }, 'utm'],
    [{ utm_source: 'x' }, 'utm.utm_source'],
    [{ source: 'x', mediun: 'y' }, 'utm.mediun'],
    [{ source: 'x', overwrit: true }, 'utm.overwrit'],
    ['x', 'utm'],
    [['x'], 'utm'],
    [5, 'utm'],
    ...BAD_VALUES.map((term): [unknown, string] => [{ term }, 'utm.term']),
    [{ template: 5 }, 'utm.template'],
    [{ source: 'x', overwrite: 'true' }, 'utm.overwrite'],
  ])('%j are rejected at %s', async (utm, field) => {
    const body = { long_url: 'https://example.com/', utm };
    expect(await refusedField(CreateLinkDto, body)).toBe(field);
  });
});
