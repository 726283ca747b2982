/** The rest of a longer header is ignored; browsers send far less. */
const MAX_LANGUAGE_HEADER = 1024;
const RANGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/** Returns lower-case languages, sorted by `q`, then by position. */
export function acceptedLanguages(header: string): string[] {
  const ranges: { language: string; q: number }[] = [];
  for (const part of header.slice(0, MAX_LANGUAGE_HEADER).toLowerCase().split(',')) {
    const [, language, q = '1'] = RANGE.exec(part.replace(/[ \t]/g, '')) ?? [];
    if (language !== undefined && Number(q) > 0) ranges.push({ language, q: Number(q) });
  }
  return ranges.sort((a, b) => b.q - a.q).map(({ language }) => language);
}

/** Also tries ranges without their last subtags (RFC 4647, 3.4; docs/contract.md#26.3). */
export function bestLanguage(header: string, named: ReadonlySet<string>): string | null {
  for (const language of acceptedLanguages(header)) {
    const parts = language.split('-');
    for (; parts.length > 0; parts.pop()) {
      const range = parts.join('-');
      if (named.has(range)) return range;
    }
  }
  return null;
}
