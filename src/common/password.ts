import { Transform } from 'class-transformer';

/** No password is that long, and what a normalisation costs grows faster than its text. */
const MAX_NORMALIZED_CHARACTERS = 1024;

/**
 * The form in which passwords are judged and hashed: NFKC, one of the two that NIST SP 800-63B names.
 * The same letters are typed as other code points on other systems: é is one on Windows, two on macOS.
 */
export function normalizePassword(password: string): string {
  return password.length > MAX_NORMALIZED_CHARACTERS ? password : password.normalize('NFKC');
}

/** A field for a new password: its rules are about the normalised form. */
export function NormalizedPassword(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? normalizePassword(value) : value,
  );
}
