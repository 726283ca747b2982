import fc from 'fast-check';
import { SealedValues } from './sealed-values';

const PURPOSE = 'webhook secret';
const ID = '65f0c0ffee0000000000000a';
const SECRET = 'a secret of at least sixteen characters';
/** Value sealed by the first release that sealed values; it must remain readable. */
const STORED_BY_FORMAT_1 =
  '01d6d9953df6cc12df40a0e9b1f15676247c80d0146920732089c9b8fd295d798f001999e6f7440ee64381f5829e1ed701';

describe('a sealed value', () => {
  const values = new SealedValues({ secret: SECRET });
  const open = (bytes: Uint8Array, by = values, purpose = PURPOSE, id = ID) =>
    by.open(purpose, id, bytes);

  it('can be opened again, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(open(values.seal(PURPOSE, ID, text))).toBe(text);
      }),
    );
  });

  it('can be opened by another process with the same secret, and reveals neither text nor secret', () => {
    const bytes = values.seal(PURPOSE, ID, 'whsec_hold-the-line');
    expect(open(bytes, new SealedValues({ secret: SECRET }))).toBe('whsec_hold-the-line');
    expect(bytes.includes('hold-the-line')).toBe(false);
    expect(bytes.includes(SECRET)).toBe(false);
  });

  it('can be read if it was stored in format 1', () => {
    expect(open(Buffer.from(STORED_BY_FORMAT_1, 'hex'))).toBe('text of format 1');
  });

  it('contains the id of its key, four bytes derived from the purpose and the secret', () => {
    const idOf = (by: SealedValues, purpose: string) =>
      by.seal(purpose, ID, 'x').subarray(1, 5).toString('hex');
    expect(idOf(values, PURPOSE)).toBe(idOf(new SealedValues({ secret: SECRET }), PURPOSE));
    const others = [
      idOf(values, 'import credential'),
      idOf(new SealedValues({ secret: `${SECRET}!` }), PURPOSE),
    ];
    expect(new Set([idOf(values, PURPOSE), ...others]).size).toBe(3);
  });

  it('is different each time', () => {
    const made = Array.from({ length: 100 }, () => values.seal(PURPOSE, ID, 'x').toString('hex'));
    expect(new Set(made).size).toBe(100);
  });

  it('is unreadable, without an exception, for another secret, purpose or subject', () => {
    const bytes = values.seal(PURPOSE, ID, 'x');
    expect(open(bytes, new SealedValues({ secret: 'the secret that came after it' }))).toBeNull();
    expect(open(bytes, values, 'import credential')).toBeNull();
    expect(open(bytes, values, PURPOSE, '65f0c0ffee0000000000000b')).toBeNull();
  });

  it('is unreadable if any bit is changed, or if it is truncated or extended', () => {
    const bytes = values.seal(PURPOSE, ID, 'sixteen letters!');
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(open(changed)).toBeNull();
    }
    for (let length = 0; length < bytes.length; length++) {
      expect(open(bytes.subarray(0, length))).toBeNull();
    }
    expect(open(Buffer.concat([bytes, Buffer.of(0)]))).toBeNull();
  });
});
