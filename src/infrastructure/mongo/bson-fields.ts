// The BSON types (bsonspec.org) that links use.
const DOUBLE = 1;
const BSON_TEXT = 2;
const DOCUMENT = 3;
const ARRAY = 4;
const OBJECT_ID = 7;
const BOOLEAN = 8;
const DATE = 9;
const NULL_VALUE = 10;
const INT32 = 16;
const INT64 = 18;

const SHARED_IDS = 4096;
const sharedIds = Array.from<{ high: number; middle: number; low: number; hex: string }>({
  length: SHARED_IDS,
});

/** Bytes of a text, which are decoded on demand. */
export class Utf8Text {
  static readonly EMPTY = new Utf8Text(Buffer.alloc(0), 0, 0);

  constructor(
    readonly bytes: Buffer,
    readonly from: number,
    readonly end: number,
  ) {}

  toString(): string {
    return this.bytes.toString('utf8', this.from, this.end);
  }
}

/** Bytes of an id, which are converted to hex digits on demand. */
export class BinaryId {
  constructor(
    private readonly bytes: Buffer,
    private readonly from: number,
  ) {}

  /** Returns one of the three numbers that sort like the ids. */
  word(index: number): number {
    return this.bytes.readUInt32BE(this.from + 4 * index);
  }

  toString(): string {
    return this.bytes.toString('hex', this.from, this.from + 12);
  }
}

export class BsonValue {
  constructor(
    readonly bytes: Buffer,
    private type = NULL_VALUE,
    private from = 0,
    private end = 0,
  ) {}

  /** Returns the offset after the value. */
  moveTo(type: number, from: number): number {
    this.type = type;
    this.from = from;
    this.end = from + valueSize(type, this.bytes, from);
    return this.end;
  }

  get isNull(): boolean {
    return this.type === NULL_VALUE;
  }

  hex(): string {
    return this.bytes.toString('hex', this.from, this.end);
  }

  binaryId(): BinaryId {
    return new BinaryId(this.bytes, this.from);
  }

  /** Like `hex`, but equal ids share a string, which is also faster if they are repeated. */
  sharedHex(): string {
    const { bytes, from } = this;
    const [high, middle] = [bytes.readInt32BE(from), bytes.readInt32BE(from + 4)];
    const low = bytes.readInt32BE(from + 8);
    const known = sharedIds[low & (SHARED_IDS - 1)];
    if (known?.low === low && known.middle === middle && known.high === high) return known.hex;
    const hex = this.hex();
    sharedIds[low & (SHARED_IDS - 1)] = { high, middle, low, hex };
    return hex;
  }

  boolean(): boolean {
    return this.bytes[this.from] === 1;
  }

  text(): string {
    return this.bytes.toString('utf8', this.from + 4, this.end - 1);
  }

  undecodedText(): Utf8Text {
    return new Utf8Text(this.bytes, this.from + 4, this.end - 1);
  }

  /** A number is enough, because counts and times are far below 2^53. */
  number(): number {
    const { bytes, from } = this;
    if (this.type === INT32) return bytes.readInt32LE(from);
    if (this.type === DOUBLE) return bytes.readDoubleLE(from);
    return bytes.readInt32LE(from + 4) * 2 ** 32 + bytes.readUInt32LE(from);
  }

  document(): Uint8Array {
    return this.bytes.subarray(this.from, this.end);
  }

  /** BSON stores an array as a document whose field names are the indexes. */
  elements<T>(read: (element: BsonValue) => T): T[] {
    const found: T[] = [];
    const element = new BsonValue(this.bytes);
    for (let at = this.from + 4; this.bytes[at] !== 0;) {
      const type = this.bytes[at] ?? 0;
      at = element.moveTo(type, endOfName(this.bytes, at + 1));
      found.push(read(element));
    }
    return found;
  }
}

/** Returns the offset after the name. */
function endOfName(bytes: Buffer, from: number): number {
  let end = from;
  while ((bytes[end] ?? 0) !== 0) end++;
  return end + 1;
}

function valueSize(type: number, bytes: Buffer, from: number): number {
  switch (type) {
    case BSON_TEXT:
      return 4 + bytes.readInt32LE(from);
    case DOCUMENT:
    case ARRAY:
      return bytes.readInt32LE(from);
    case OBJECT_ID:
      return 12;
    case DOUBLE:
    case DATE:
    case INT64:
      return 8;
    case INT32:
      return 4;
    case BOOLEAN:
      return 1;
    case NULL_VALUE:
      return 0;
    default:
      throw new Error(`A link field is stored with the unexpected type ${type}`);
  }
}

type TakeValue<T> = (target: T, value: BsonValue) => void;

interface KnownField<T> {
  /** Ends with a zero byte. */
  readonly name: Buffer;
  readonly takeValue: TakeValue<T>;
  /** The field that followed in the previous document. */
  next?: KnownField<T>;
}

/** Reads raw bytes, because the driver's objects for dates and ids are ten times slower. */
export class BsonFields<T> {
  private readonly known = new Map<number, KnownField<T>>();
  private readonly start: Pick<KnownField<T>, 'next'> = {};

  /** Throws if a name cannot be a field name, or if two names cannot be distinguished. */
  constructor(
    fields: Readonly<Record<string, TakeValue<T>>>,
    private readonly hash: (before: number, byte: number) => number = hashByte,
  ) {
    for (const [field, takeValue] of Object.entries(fields)) {
      const name = Buffer.from(`${field}\0`);
      if (name.indexOf(0) !== name.length - 1 || field === '') {
        throw new Error(`No field is named "${field}"`);
      }
      const key = this.hashName(name, 0);
      const clashing = this.known.get(key);
      if (clashing !== undefined) {
        throw new Error(`${clashing.name.toString().slice(0, -1)} hides ${field}`);
      }
      this.known.set(key, { name, takeValue });
    }
  }

  /** Ignores fields that are null. */
  read(document: Uint8Array, target: T): T {
    const bytes = Buffer.isBuffer(document)
      ? document
      : Buffer.from(document.buffer, document.byteOffset, document.length);
    const value = new BsonValue(bytes);
    let previous = this.start;
    let at = 4;
    for (let type = bytes[at] ?? 0; type !== 0; type = bytes[at] ?? 0) {
      // Most documents have the fields of the previous one, in the same order.
      const { next } = previous;
      const isNext = next !== undefined && hasName(next.name, bytes, at + 1);
      const field = isNext ? next : this.find(bytes, at + 1);
      at = value.moveTo(
        type,
        field === undefined ? endOfName(bytes, at + 1) : at + 1 + field.name.length,
      );
      if (field === undefined) continue;
      if (!isNext) previous.next = field;
      previous = field;
      if (!value.isNull) field.takeValue(target, value);
    }
    return target;
  }

  private find(bytes: Buffer, from: number): KnownField<T> | undefined {
    const field = this.known.get(this.hashName(bytes, from));
    return field !== undefined && hasName(field.name, bytes, from) ? field : undefined;
  }

  private hashName(bytes: Buffer, from: number): number {
    let key = 0;
    for (let at = from; (bytes[at] ?? 0) !== 0; at++) key = this.hash(key, bytes[at] ?? 0);
    return key;
  }
}

const hashByte = (before: number, byte: number): number => (Math.imul(before, 31) + byte) | 0;

function hasName(name: Buffer, bytes: Buffer, from: number): boolean {
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[from + i]) return false;
  return true;
}
