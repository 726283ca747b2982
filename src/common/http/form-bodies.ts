import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { BadRequestError, CurtailError } from '../errors';
import { declaredCharset, notUtf8, percentDecoded } from './json-bodies';

const MAX_PARAMETERS = 100;
/** Limits for multipart forms. */
const MAX_FORM_FIELD_BYTES = 65_536;
const MAX_FIELDS = 32;
const parser = multer({
  limits: { fieldSize: MAX_FORM_FIELD_BYTES, fields: MAX_FIELDS, parts: MAX_FIELDS },
}).none();

type FormValues = Record<string, string | string[]>;

/** A repeated field becomes a list. @throws CurtailError */
export function parseUrlEncoded(bytes: Buffer, request: Request): FormValues {
  const decode = decoderFor(declaredCharset(request));
  const parameters = bytes.toString('latin1').split('&', MAX_PARAMETERS + 1);
  if (parameters.length > MAX_PARAMETERS) {
    throw payloadTooLarge(`A form may have at most ${MAX_PARAMETERS} fields`);
  }
  const fields = Object.create(null) as FormValues;
  for (const parameter of parameters) {
    if (parameter === '') continue;
    const end = parameter.includes('=') ? parameter.indexOf('=') : parameter.length;
    const [name, value] = [decode(parameter.slice(0, end)), decode(parameter.slice(end + 1))];
    const known = fields[name];
    fields[name] = known === undefined ? value : [known, value].flat();
  }
  return fields;
}

/** Supports ISO-8859-1, which some libraries declare regardless of the actual encoding. */
function decoderFor(charset: string): (encoded: string) => string {
  if (charset !== 'utf-8' && charset !== 'iso-8859-1') throw notUtf8();
  return (encoded) => {
    const bytes = percentDecoded(Buffer.from(encoded, 'latin1'));
    if (charset === 'iso-8859-1') return bytes.toString('latin1');
    if (!isUtf8(bytes)) throw notUtf8();
    return bytes.toString();
  };
}

/** Rejects files. @throws CurtailError */
export async function parseMultipart(bytes: Buffer, { headers }: Request): Promise<unknown> {
  const form = Object.assign(Readable.from([bytes]), { headers }) as unknown as Request;
  await new Promise<void>((resolve, reject) => {
    void parser(form, undefined as unknown as Response, (error: unknown) => {
      if (error === undefined || error === null) resolve();
      else reject(toFormRefusal(error));
    });
  });
  if (!isUtf8(bytes)) throw notUtf8();
  return form.body;
}

/** Parser errors have no status, although the client caused them. */
function toFormRefusal(error: unknown): CurtailError {
  if (error instanceof MulterError && error.code === 'LIMIT_FIELD_VALUE') {
    return payloadTooLarge(`A form field may have at most ${MAX_FORM_FIELD_BYTES} bytes`);
  }
  if (error instanceof MulterError) {
    return new BadRequestError(`The form was rejected: ${error.message}`);
  }
  return new BadRequestError('The form could not be read');
}

function payloadTooLarge(message: string): CurtailError {
  return new CurtailError(413, 'payload_too_large', message);
}
