import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { BadRequestError, UnprocessableError } from '../common/errors';
import { declaredLength, refuseCoding } from '../common/http/taken-body';
import { refuseFullDisk } from '../infrastructure/files/disk-space';
import type { ImportFile } from './store/import';
import { ImportTooLargeError } from './imports.errors';

const MAX_UPLOAD_FIELD_BYTES = 64 * 1024;
/** Maximum form size in bytes, excluding the file. */
const FORM_BYTES = 2 * MAX_UPLOAD_FIELD_BYTES;
const MAX_NAME = 200;

export interface Upload {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly file: ImportFile;
}

/** A caller rejecting the form must remove the file. @throws CurtailError after removing it */
export async function receiveUpload(
  request: Request,
  folder: string,
  maxBytes: number,
): Promise<Upload> {
  refuseCoding(request);
  if (!request.is('multipart/form-data')) {
    throw UnprocessableError.forField('file', 'must be a file in a multipart form');
  }
  const length = declaredLength(request) ?? maxBytes;
  if (length > maxBytes + FORM_BYTES) throw fileTooLarge(maxBytes);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await refuseFullDisk(folder, length);
  const path = join(folder, randomBytes(16).toString('hex'));
  const storage = multer.diskStorage({
    destination: folder,
    filename: (_request, _file, name) => name(null, path.slice(folder.length + 1)),
  });
  const limits = { fileSize: maxBytes, files: 1, fields: 8, fieldSize: MAX_UPLOAD_FIELD_BYTES };
  const parser = multer({ storage, limits }).single('file');
  try {
    await new Promise<void>((resolve, reject) => {
      // The parser does not use the response.
      void parser(request, undefined as unknown as Response, (error: unknown) => {
        if (error instanceof Error) reject(toUploadRefusal(error, maxBytes));
        else resolve();
      });
    });
    const { file } = request;
    if (file === undefined) throw UnprocessableError.forField('file', 'is missing');
    await chmod(path, 0o600);
    const name = Buffer.from(file.originalname, 'latin1').toString().slice(0, MAX_NAME);
    const sha256 = await hashFile(path);
    const fields = (request.body ?? {}) as Record<string, unknown>;
    return { fields, file: { path, name, bytes: file.size, sha256 } };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Disk errors have a code; parser errors have none and are the client's fault. */
function toUploadRefusal(error: Error, maxBytes: number): Error {
  if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE')
    return fileTooLarge(maxBytes);
  const isOfForm = error instanceof MulterError || !('code' in error);
  return isOfForm ? new BadRequestError(`The form was rejected: ${error.message}`) : error;
}

function fileTooLarge(maxBytes: number): ImportTooLargeError {
  return new ImportTooLargeError(`The file may have at most ${maxBytes} bytes`);
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
