/** UTF-8 sequences of two to four bytes, as their lead byte says; a character for each byte. */
const SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/**
 * The text of a header as Node gives it, a character for each byte: bytes that are
 * a character of UTF-8 are read as that character, all others stay what they are in Latin-1. Tools
 * such as curl send UTF-8, older programs Latin-1, and nothing says which.
 */
export function headerText(bytes: string): string {
  return bytes.replace(SEQUENCE, (sequence) => {
    const character = Buffer.from(sequence, 'latin1').toString();
    return character.includes('\ufffd') ? sequence : character;
  });
}
