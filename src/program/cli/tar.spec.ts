import { parseTarHeader, TAR_BLOCK, tarHeader, tarPadding } from './tar';

const MODIFIED = new Date('2026-11-26T12:00:00Z');

describe('The header of a file in a tar archive', () => {
  it.each([
    ['data/node-id', 9],
    ['empty', 0],
    // A size that eleven octal digits cannot represent.
    ['large', 9 * 2 ** 30],
    [`data/journal/1.${'%20'.repeat(20)}.0123456789ab-000001.sealed`, 5],
  ])('can be read as it was written: %s, %d bytes', (name, bytes) => {
    const header = tarHeader(name, bytes, MODIFIED);
    expect(header).toHaveLength(TAR_BLOCK);
    expect(parseTarHeader(header)).toEqual({ name, bytes, isFile: true });
  });

  it('rejects a name that is too long', () => {
    expect(() => tarHeader('x'.repeat(101), 1, MODIFIED)).toThrow('too long');
  });

  it('is distinguished from the end marker and from an invalid header', () => {
    const header = tarHeader('a', 1, MODIFIED);
    header[0]! ^= 1;
    expect(parseTarHeader(header)).toBeNull();
    expect(parseTarHeader(Buffer.alloc(TAR_BLOCK, 'x'))).toBeNull();
    expect(parseTarHeader(Buffer.alloc(TAR_BLOCK))).toBeUndefined();
  });

  it('is followed by whole blocks', () => {
    expect([0, 1, TAR_BLOCK, TAR_BLOCK + 1].map(tarPadding)).toEqual([0, 511, 0, 511]);
  });
});
