/** A code as links are found by: emoji codes are compared without U+FE0F (contract 8.1). */
export function shortCode(input: string | undefined): string {
  return (input ?? '').replaceAll('\ufe0f', '');
}
