/** Longest value of a utm_ parameter in characters (docs/contract.md#8.4). */
const LONGEST = 100;

/** The value of a utm_ parameter as it is stored; null when nothing of it is left. */
export function campaignValue(value: string): string | null {
  const text = value.replace(/\p{Cc}/gu, '').trim();
  // Whole characters: a cut through an emoji would leave half of it.
  const cut = text.length > LONGEST ? Array.from(text).slice(0, LONGEST).join('') : text;
  return cut === '' ? null : cut;
}
