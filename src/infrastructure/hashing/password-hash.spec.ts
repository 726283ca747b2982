import { createHash } from 'node:crypto';
import bcrypt from 'bcrypt';
import type { Client } from '../client-address/client-address';
import { hashPassword, verifyPassword, verifyPlainBcrypt } from './password-hash';

const COMPOSED = 'Caf\u00e9.2024x';
const DECOMPOSED = 'Cafe\u0301.2024x';
const HASHING = { kind: 'link', client: { key: '192.0.2.1' } as Client } as const;

/** Hashes like earlier releases, which did not normalise passwords. */
function oldHash(password: string): Promise<string> {
  return bcrypt.hash(createHash('sha256').update(password).digest('base64'), 4);
}

describe('A hashed password', () => {
  it('matches in every Unicode form of its letters', async () => {
    const hash = await hashPassword(DECOMPOSED, 4, HASHING);
    for (const password of [COMPOSED, DECOMPOSED]) {
      expect(await verifyPassword([password], hash, HASHING)).toBe(true);
    }
    expect(await verifyPassword(['Cafe.2024x'], hash, HASHING)).toBe(false);
  });

  it.each([COMPOSED, DECOMPOSED])(
    'from an earlier release still matches the text as typed: %j',
    async (password) => {
      expect(await verifyPassword([password], await oldHash(password), HASHING)).toBe(true);
    },
  );

  it('matches if one of several readings is correct', async () => {
    const hash = await hashPassword(COMPOSED, 4, HASHING);
    expect(await verifyPassword(['Caf\u00c3\u00a9.2024x', COMPOSED], hash, HASHING)).toBe(true);
  });

  it('does not wait for hashes from other services, which are checked one at a time', async () => {
    const ours = await hashPassword(COMPOSED, 4, HASHING);
    const foreign = '$2b$14$other';
    const comparing: (() => void)[] = [];
    const real = bcrypt.compare;
    const comparison = (text: string, hash: string): Promise<boolean> =>
      hash === foreign
        ? new Promise((resolve) => {
            comparing.push(() => resolve(false));
          })
        : real(text, hash);
    const compare = jest.spyOn(bcrypt, 'compare').mockImplementation(comparison as never);
    const checks = [1, 2, 3].map(() => verifyPlainBcrypt(['x'], foreign, HASHING));
    expect(await verifyPassword([COMPOSED], ours, HASHING)).toBe(true);
    for (const [i, check] of checks.entries()) {
      expect(comparing).toHaveLength(i + 1);
      comparing[i]?.();
      expect(await check).toBe(false);
      await new Promise((resolve) => setImmediate(resolve));
    }
    compare.mockRestore();
  });

  it('is not compared with a text that takes long to normalise', async () => {
    const marks = '\u0327\u0301'.repeat(30_000);
    const hash = await hashPassword(COMPOSED, 4, HASHING);
    expect(await verifyPassword([marks], hash, HASHING)).toBe(false);
  });
});
