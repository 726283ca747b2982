/** UTF-8 sequences of two to four bytes, with one character per byte. */
const SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/** Decodes UTF-8 sequences, and other bytes as Latin-1, because clients send either of them. */
export function headerText(bytes: string): string {
  return bytes.replace(SEQUENCE, (sequence) => {
    const character = Buffer.from(sequence, 'latin1').toString();
    return character.includes('\ufffd') ? sequence : character;
  });
}
