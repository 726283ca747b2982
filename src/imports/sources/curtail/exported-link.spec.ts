import type { SourceLink } from '../../reading/source-link';
import { parseItem, linkOfItem } from './exported-link';
import { parseManifest } from './export-manifest';

const read = (text: string) => parseItem({ bytes: Buffer.from(text), problem: null });
const linkWith = (fields: object) =>
  linkOfItem(
    1,
    { alias: 'a', long_url: 'https://a.test/', ...fields },
    { clicks: null, counts: null },
  ) as Promise<SourceLink>;

describe('an exported item', () => {
  it('has limits for its values, nesting depth and bytes', () => {
    expect(read('{"a":1}')).toEqual({ a: 1 });
    expect(read(`{"a":[${'0,'.repeat(10_000)}0]}`)).toBe('JSON with more than 10000 values');
    expect(read(`{"a":${'['.repeat(40)}`)).toBe('JSON with more than 32 levels');
    expect(read('[]')).toBe('broken JSON');
  });

  it.each([
    [{ status: 'INACTIVE' }, true],
    [{ status: 'INACTIVE', starts_at: 4_000_000_000 }, true],
    [{ status: 'INACTIVE', expire_after: 1_600_000_000 }, false],
    [{ status: 'BLOCKED', starts_at: 4_000_000_000 }, true],
    [{ status: 'INACTIVE', starts_at: 4_000_000_000, paused: false }, false],
    [{ status: 'INACTIVE', starts_at: 4_000_000_000, paused: true }, true],
    [{ status: 'INACTIVE', expire_after: 1_600_000_000, paused: true }, true],
    [{ status: 'BLOCKED', paused: false }, true],
  ])('with %j is disabled: %s', async (fields, isArchived) => {
    expect(await linkWith(fields)).toMatchObject({ isArchived });
  });

  it.each(['rules', 'ab_variants', 'geo_rules', 'qr'])(
    'drops a list in %s that is longer than a request may contain',
    async (field) => {
      const value =
        field === 'geo_rules'
          ? Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, '1']))
          : Array.from({ length: 2000 }, () => ({}));
      const link = await linkWith({ [field]: value });
      expect(link.notes).toEqual(['feature_dropped']);
      expect(link.message).toContain('too many values');
    },
  );
});

describe('a manifest', () => {
  it("is not parsed if it has more values than the zip's files need", () => {
    const parse = jest.spyOn(JSON, 'parse');
    const bytes = Buffer.from(`{"format":1,"files":[${'{},'.repeat(20_000)}{}]}`);
    expect(() => parseManifest(bytes)).toThrow('cannot be read');
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });
});
