/** The parts of a comma list, trimmed; empty parts and repeats dropped. */
export function commaList(text: string | undefined): string[] {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}
