import { createHash } from 'node:crypto';
import { boundedJson } from '../../../common/http/json-bodies';
import { toFields, type JsonFields } from '../../reading/json-answer';
import { ImportFormatError } from '../../reading/source.errors';

const EXPORT_FORMAT = 1;
const FILE_NAME = /^(?:account\.json|links\.ndjson|README\.txt|clicks\/[0-9a-f]{24}\.ndjson\.gz)$/;
const SHA256 = /^[0-9a-f]{64}$/;

export interface ExportedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Line count; null for files without lines. */
  readonly records: number | null;
}

export interface ExportManifest {
  /** Content-based: equal exactly for equal content. */
  readonly id: string;
  readonly files: ReadonlyMap<string, ExportedFile>;
}

/** @throws ImportFormatError for a broken manifest, or a newer format */
export function parseManifest(bytes: Buffer, maxValues: number): ExportManifest {
  const { format, version, files } = objectIn(bytes, maxValues);
  if (typeof format === 'number' && format > EXPORT_FORMAT) {
    const by = typeof version === 'string' ? ` of Curtail ${version.slice(0, 20)}` : '';
    throw new ImportFormatError(
      `an export${by} in format ${format}, of which this release reads ${EXPORT_FORMAT} alone: update it first`,
    );
  }
  if (format !== EXPORT_FORMAT || !Array.isArray(files)) throw brokenManifestError();
  const found = new Map<string, ExportedFile>();
  for (const file of files as readonly unknown[]) {
    if (!isFile(file) || found.has(file.name)) throw brokenManifestError();
    found.set(file.name, file);
  }
  return { id: hashFiles([...found.values()]), files: found };
}

function objectIn(bytes: Buffer, values: number): JsonFields {
  const read = boundedJson(bytes, { values });
  const object = 'value' in read ? toFields(read.value) : null;
  if (object === null) throw brokenManifestError();
  return object;
}

function isFile(value: unknown): value is ExportedFile {
  if (typeof value !== 'object' || value === null) return false;
  const { name, bytes, sha256, records } = value as Readonly<Record<string, unknown>>;
  const isNamed = typeof name === 'string' && FILE_NAME.test(name);
  const isHashed = typeof sha256 === 'string' && SHA256.test(sha256);
  return isNamed && isHashed && isCount(bytes) && (records === null || isCount(records));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function brokenManifestError(): ImportFormatError {
  return new ImportFormatError('an export whose manifest.json cannot be read');
}

/** Exports are unnamed, so the digests of their files identify them. */
function hashFiles(files: readonly ExportedFile[]): string {
  const lines = files.map(({ name, bytes, sha256 }) => `${sha256} ${bytes} ${name}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
