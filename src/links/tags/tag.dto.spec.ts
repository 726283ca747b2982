import { refusedField } from '../../../test/support/shared/refused-field';
import { CreateTagDto, UpdateTagDto } from './tag.dto';

describe('The body of a tag', () => {
  it.each<[object, string | null]>([
    [{ name: 'a' }, null],
    [{ name: 'x'.repeat(40), color: null }, null],
    [{ name: 'a', color: 'teal' }, null],
    [{}, 'name'],
    [{ name: null }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(41) }, 'name'],
    [{ name: 'a,b' }, 'name'],
    [{ name: '(NONE)' }, 'name'],
    [{ name: 'a\u0007' }, 'name'],
    [{ name: '\u2067abc' }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: 'a', color: 'mauve' }, 'color'],
    [{ name: 'a', colour: 'red' }, 'colour'],
  ])('%j is rejected at %s in POST', async (body, field) => {
    expect(await refusedField(CreateTagDto, body)).toBe(field);
  });

  it.each<[object, string | null]>([
    [{}, null],
    [{ name: null, color: null }, null],
    [{ name: '' }, 'name'],
    [{ name: 'a,b' }, 'name'],
    [{ color: 5 }, 'color'],
  ])('%j is rejected at %s in PATCH', async (body, field) => {
    expect(await refusedField(UpdateTagDto, body)).toBe(field);
  });
});
