import fc from 'fast-check';
import type { UnprocessableError } from '../errors';
import { refuseMisnamed } from './field-names';

const FIELDS = ['long_url', 'url', 'alias', 'max_clicks', 'expire_after', 'password'];

function refusalOf(given: object, fields = FIELDS): UnprocessableError | null {
  try {
    refuseMisnamed(given, fields);
    return null;
  } catch (error) {
    return error as UnprocessableError;
  }
}

describe('A misspelt field name', () => {
  it.each([
    ['longUrl', 'long_url'],
    ['LONG-URL', 'long_url'],
    ['longg_ur', 'long_url'],
    ['urll', 'url'],
    ['maxclick', 'max_clicks'],
    ['Expire_After', 'expire_after'],
    ['expires_at', 'expire_after'],
    ['expiresAt', 'expire_after'],
    ['expiry', 'expire_after'],
    ['expiration', 'expire_after'],
    ['expires', 'expire_after'],
    ['max_visits', 'max_clicks'],
    ['long-url', 'long_url'],
    ['link', 'long_url'],
    ['target', 'long_url'],
    ['custom_alias', 'alias'],
    ['slug', 'alias'],
    ['pasword', 'password'],
  ])('is rejected with a hint: %s means %s', (name, meant) => {
    expect(refusalOf({ [name]: 'x' })).toMatchObject({
      status: 422,
      code: 'validation_error',
      field: name,
      hint: `Use ${meant} instead of ${name}`,
    });
  });

  it('is rejected together with other misspelt names, and each gets its own problem', () => {
    expect(refusalOf({ expires_at: 1, slug: 'x' })).toMatchObject({
      details: [{ field: 'expires_at' }, { field: 'slug' }],
      hint: 'Use expire_after instead of expires_at. Use alias instead of slug',
    });
  });

  it('is accepted if the route defines it: a key has expires_at', () => {
    const fields = ['name', 'scopes', 'expires_at'];
    expect(refusalOf({ expires_at: 1 }, fields)).toBeNull();
    expect(refusalOf({ expiry: 1 }, fields)?.hint).toContain('expires_at');
    expect(refusalOf({ slug: 'x' }, fields)).toBeNull();
    expect(refusalOf({ q: 'x' }, ['search'])?.hint).toContain('search');
  });

  it('is accepted if the value is null, like every unknown name', () => {
    expect(refusalOf({ expires_at: null, longUrl: null })).toBeNull();
    expect(refusalOf({ short_url: 'x', created_at: 1, tags: [], planet: 'Mars' })).toBeNull();
    expect(refusalOf({ password_set: true, total_clicks: 5, last_click: 'x' })).toBeNull();
  });

  it.each([
    ['ulr', true],
    ['uri', true],
    ['ur', true],
    ['urlx', true],
    ['my_url', true],
    ['kl', false],
    ['x', false],
    ['utm', false],
  ])('with three letters shares most or all letters with the field: %s', (name, isSlip) => {
    expect(refusalOf({ [name]: 'x' }) !== null).toBe(isSlip);
  });

  it.each([
    ['node', 'note'],
    ['nots', 'note'],
    ['not', 'note'],
    ['tgas', 'tags'],
    ['tag', 'tags'],
    ['labels', 'tags'],
    ['notes', 'note'],
    ['comment', 'note'],
    ['comments', 'note'],
    ['name', 'title'],
    ['titel', 'title'],
    ['mode', undefined],
    ['page', undefined],
    ['rate', undefined],
  ])('with four letters has one wrong letter, not two: %s means %s', (name, meant) => {
    const hint = refusalOf({ [name]: 'x' }, ['title', 'note', 'tags'])?.hint;
    expect(hint).toBe(meant === undefined ? undefined : `Use ${meant} instead of ${name}`);
  });

  it('differs from the field by up to two letters, never by three', () => {
    const letters = fc.constantFrom('#', '*', '!');
    fc.assert(
      fc.property(fc.nat(12), fc.nat(12), letters, (at, then, letter) => {
        const put = (text: string, place: number) =>
          text.slice(0, place) + letter + text.slice(place);
        const slip = put(put('expire_after', at), then);
        expect(refusalOf({ [slip]: 1 })?.hint).toContain('expire_after');
        expect(refusalOf({ [put(slip, 0)]: 1 })).toBeNull();
      }),
    );
  });
});
