import { isUtf8 } from 'node:buffer';
import { boundedJson } from '../../common/http/json-bodies';
import { fromWindows1252, type ReadBytes } from '../csv/csv-records';

const JSON_CHUNK_BYTES = 256 * 1024;
const MAX_JSON_VALUES = 250_000;
/** Maximum object held in memory; exceeds a link's complete lists. */
export const MAX_OBJECT_BYTES = 16 * 1024 * 1024;
const [QUOTE, BACKSLASH] = [34, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [91, 93, 123, 125];
/** Whitespace, list brackets, commas and byte-order mark. */
const BETWEEN = new Set([9, 10, 13, 32, 44, OPEN_LIST, CLOSE_LIST, 0xef, 0xbb, 0xbf]);

const NO_OBJECT = 'text that is no object';

export interface JsonObject {
  readonly value: Readonly<Record<string, unknown>> | null;
  readonly problem: string | null;
  /** Byte offset at which the search for the next object starts. */
  readonly end: number;
  readonly isGuessed: boolean;
}

/** Reads an object, a list or concatenated objects; also yields unreadable objects. */
export async function* jsonObjects(read: ReadBytes, from: number): AsyncGenerator<JsonObject> {
  const scan = new ObjectScan();
  let offset = from;
  for (;;) {
    const chunk = Buffer.allocUnsafe(JSON_CHUNK_BYTES);
    const { bytesRead } = await read(chunk, offset);
    if (bytesRead === 0) break;
    for (const { end, ...found } of scan.feed(chunk.subarray(0, bytesRead))) {
      yield { ...found, end: offset + end };
    }
    offset += bytesRead;
  }
  const { problem } = scan;
  if (problem !== null) yield unreadableObject(problem, offset);
}

class ObjectScan {
  private pieces: Buffer[] = [];
  private length = 0;
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private isJunk = false;

  get problem(): string | null {
    if (this.depth > 0) return 'the file ends in the middle of an object';
    return this.isJunk ? NO_OBJECT : null;
  }

  *feed(bytes: Buffer): Generator<JsonObject> {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (this.depth === 0) {
        if (byte !== OPEN) {
          this.isJunk ||= !BETWEEN.has(byte);
          continue;
        }
        if (this.isJunk) yield unreadableObject(NO_OBJECT, at);
        [this.depth, this.isJunk, start] = [1, false, at];
      } else if (this.isEndAt(byte)) {
        this.keep(bytes.subarray(start, at + 1));
        yield this.taken(at + 1);
      }
    }
    if (this.depth > 0) this.keep(bytes.subarray(start));
  }

  private isEndAt(byte: number): boolean {
    if (this.isInString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInString = false;
    } else if (byte === QUOTE) this.isInString = true;
    else if (byte === OPEN || byte === OPEN_LIST) this.depth++;
    else if (byte === CLOSE || byte === CLOSE_LIST) return --this.depth === 0;
    return false;
  }

  private keep(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > MAX_OBJECT_BYTES) this.pieces = [];
    else this.pieces.push(piece);
  }

  private taken(end: number): JsonObject {
    const isLong = this.length > MAX_OBJECT_BYTES;
    const bytes = Buffer.concat(this.pieces);
    [this.pieces, this.length] = [[], 0];
    if (isLong) return unreadableObject('longer than 16 MiB', end);
    const isGuessed = !isUtf8(bytes);
    const text = isGuessed ? Buffer.from(fromWindows1252(bytes)) : bytes;
    const read = boundedJson(text, { values: MAX_JSON_VALUES });
    if ('problem' in read) return unreadableObject(read.problem, end);
    return { value: read.value as Record<string, unknown>, problem: null, end, isGuessed };
  }
}

function unreadableObject(problem: string, end: number): JsonObject {
  return { value: null, problem, end, isGuessed: false };
}
