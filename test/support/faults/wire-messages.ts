import { mongo } from 'mongoose';

// The part of the MongoDB wire protocol that a proxy needs: messages with a four-number header;
// OP_MSG (2013) has one document of kind 0 and lists of documents of kind 1.

const HEADER_BYTES = 16;
const OP_MSG = 2013;
const BODY_FROM = HEADER_BYTES + 5;

type Fields = Record<string, unknown>;

export class MessageStream {
  private rest = Buffer.alloc(0);

  push(chunk: Buffer): Buffer[] {
    this.rest = Buffer.concat([this.rest, chunk]);
    const messages: Buffer[] = [];
    while (this.rest.length >= HEADER_BYTES) {
      const length = this.rest.readInt32LE(0);
      if (this.rest.length < length) break;
      messages.push(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
    }
    return messages;
  }
}

export function requestIdOf(message: Buffer): number {
  return message.readInt32LE(4);
}

export function answeredIdOf(message: Buffer): number {
  return message.readInt32LE(8);
}

export function commandOf(message: Buffer): string | null {
  if (message.readInt32LE(12) !== OP_MSG || message[BODY_FROM - 1] !== 0) return null;
  const from = BODY_FROM + 5;
  return message.toString('latin1', from, message.indexOf(0, from));
}

export function collectionOf(message: Buffer): string {
  const from = message.indexOf(0, BODY_FROM + 5) + 1;
  return message.toString('utf8', from + 4, from + 3 + message.readInt32LE(from));
}

export function answerTo(requestId: number, fields: Fields): Buffer {
  const document = mongo.BSON.serialize(fields);
  const message = Buffer.alloc(BODY_FROM + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(requestId, 8);
  message.writeInt32LE(OP_MSG, 12);
  message.set(document, BODY_FROM);
  return message;
}

export function withFields(answer: Buffer, fields: Fields): Buffer {
  const length = answer.readInt32LE(BODY_FROM);
  const document = mongo.BSON.deserialize(answer.subarray(BODY_FROM, BODY_FROM + length), {
    promoteLongs: false,
  });
  return answerTo(answeredIdOf(answer), { ...document, ...fields });
}

export function withClockBehind(request: Buffer, ms: number): Buffer {
  const isOfTime = request.includes('$$NOW') || request.includes('$currentDate');
  if (!isOfTime || request.readInt32LE(12) !== OP_MSG) return request;
  const parts: Buffer[] = [request.subarray(0, HEADER_BYTES + 4)];
  for (let at = HEADER_BYTES + 4; at < request.length;) {
    const kind = request[at]!;
    const length = request.readInt32LE(at + 1);
    const section = request.subarray(at + 1, at + 1 + length);
    at += 1 + length;
    if (kind === 0) {
      parts.push(Buffer.of(0), documentBehind(section, ms));
      continue;
    }
    const documentsFrom = section.indexOf(0, 4) + 1;
    const documents: Buffer[] = [];
    for (let from = documentsFrom; from < length;) {
      const size = section.readInt32LE(from);
      documents.push(documentBehind(section.subarray(from, from + size), ms));
      from += size;
    }
    const sequence = Buffer.concat([section.subarray(0, documentsFrom), ...documents]);
    sequence.writeInt32LE(sequence.length, 0);
    parts.push(Buffer.of(1), sequence);
  }
  const message = Buffer.concat(parts);
  message.writeInt32LE(message.length, 0);
  return message;
}

function documentBehind(document: Buffer, ms: number): Buffer {
  const fields = mongo.BSON.deserialize(document, { promoteValues: false, bsonRegExp: true });
  return Buffer.from(mongo.BSON.serialize(behind(fields, ms) as Fields));
}

/** Shifts `$$NOW` and the fields set to it. */
function behind(value: unknown, ms: number): unknown {
  if (value === '$$NOW') return { $subtract: ['$$NOW', ms] };
  if (Array.isArray(value)) return value.map((element) => behind(element, ms));
  if (value === null || typeof value !== 'object' || '_bsontype' in value) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const { $currentDate, ...rest } = value as Fields;
  const moved: Fields = {};
  for (const [field, inner] of Object.entries(rest)) moved[field] = behind(inner, ms);
  if ($currentDate === undefined) return moved;
  const dates = Object.keys($currentDate as Fields).map((field) => [
    field,
    new Date(Date.now() - ms),
  ]);
  return { ...moved, $set: { ...(moved.$set as Fields), ...Object.fromEntries(dates) } };
}
