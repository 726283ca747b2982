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

  boolean(): boolean {
    return this.bytes[this.from] === 1;
  }

  text(): string {
    return this.bytes.toString('utf8', this.from + 4, this.end - 1);
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
      at = element.moveTo(type, this.bytes.indexOf(0, at + 1) + 1);
      found.push(read(element));
    }
    return found;
  }
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
  readonly name: Buffer;
  readonly takeValue: TakeValue<T>;
}

/** Reads raw bytes, because the driver's objects for dates and ids are ten times slower. */
export class BsonFields<T> {
  private readonly known = new Map<number, KnownField<T>>();

  /** Throws if a name cannot be a field name, or if two names cannot be distinguished. */
  constructor(
    fields: Readonly<Record<string, TakeValue<T>>>,
    private readonly hash: (before: number, byte: number) => number = hashByte,
  ) {
    for (const [field, takeValue] of Object.entries(fields)) {
      const name = Buffer.from(field);
      if (name.length === 0 || name.includes(0)) throw new Error(`No field is named "${field}"`);
      const key = name.reduce(this.hash, 0);
      const clashing = this.known.get(key);
      if (clashing !== undefined) throw new Error(`${clashing.name.toString()} hides ${field}`);
      this.known.set(key, { name, takeValue });
    }
  }

  /** Ignores fields that are null. */
  read(document: Uint8Array, target: T): T {
    const bytes = Buffer.from(document.buffer, document.byteOffset, document.length);
    const value = new BsonValue(bytes);
    let at = 4;
    for (let type = bytes[at] ?? 0; type !== 0; type = bytes[at] ?? 0) {
      const start = ++at;
      let key = 0;
      for (let byte = bytes[at] ?? 0; byte !== 0; byte = bytes[++at] ?? 0) {
        key = this.hash(key, byte);
      }
      const field = this.known.get(key);
      const isKnown = field !== undefined && matchesName(field.name, bytes, start, at);
      at = value.moveTo(type, at + 1);
      if (isKnown && !value.isNull) field.takeValue(target, value);
    }
    return target;
  }
}

const hashByte = (before: number, byte: number): number => (Math.imul(before, 31) + byte) | 0;

function matchesName(name: Buffer, bytes: Buffer, from: number, end: number): boolean {
  if (name.length !== end - from) return false;
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[from + i]) return false;
  return true;
}
