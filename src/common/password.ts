import { Transform } from 'class-transformer';

/** Longer strings are not normalised, because this would take too long. */
const MAX_NORMALIZED_CHARACTERS = 1024;

/** Applies NFKC (NIST SP 800-63B), because é is one code point on Windows and two on macOS. */
export function normalizePassword(password: string): string {
  return password.length > MAX_NORMALIZED_CHARACTERS ? password : password.normalize('NFKC');
}

/** Normalizes a new password before validation. */
export function NormalizedPassword(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? normalizePassword(value) : value,
  );
}
