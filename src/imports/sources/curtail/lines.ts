const MAX_LINE = 1024 * 1024;
const NEWLINE = 10;

export interface Line {
  /** Empty if the line is unreadable. */
  readonly bytes: Buffer;
  readonly problem: string | null;
  /** Number of bytes up to the next line, including empty lines before this line. */
  readonly length: number;
}

/** Splits chunks into non-empty lines; the last line does not need a line break. */
export async function* splitLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let length = 0;
  let passed = 0;
  const keep = (bytes: Buffer): void => {
    length += bytes.length;
    if (length > MAX_LINE) held = [];
    else if (bytes.length > 0) held.push(bytes);
  };
  const taken = (): Line => {
    const isLong = length > MAX_LINE;
    const bytes = Buffer.concat(held);
    [held, length] = [[], 0];
    const line = { bytes, problem: isLong ? 'longer than 1 MiB' : null, length: passed };
    passed = 0;
    return line;
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      keep(piece.subarray(from, at));
      passed += at + 1 - from;
      from = at + 1;
      if (length > 0) yield taken();
    }
    keep(piece.subarray(from));
    passed += piece.length - from;
  }
  if (length > 0) yield taken();
}
