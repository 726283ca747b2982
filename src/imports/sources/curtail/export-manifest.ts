import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { boundedJson } from '../../../common/http/json-bodies';
import { type JsonFields, toFields } from '../../reading/json-answer';
import { maxPlainBytes, memberBytes } from '../../reading/plain-file';
import { BombError, ImportFormatError } from '../../reading/source.errors';
import type { ZipMember } from '../../reading/zip-member';
import { EXPORT_FORMAT, type ExportedFile, isExportFile, MANIFEST_FILE } from './export-codec';

const MANIFEST_BOUNDS = { bytes: 1024 * 1024, values: 20_000 };

export type ZipMembers = ReadonlyMap<string, ZipMember>;

export function brokenExportError(how: string): ImportFormatError {
  return new ImportFormatError(`a broken export: ${how}`);
}

interface ExportManifest {
  /** Derived from the content, so that only identical exports have equal ids. */
  readonly id: string;
  readonly files: ReadonlyMap<string, ExportedFile>;
}

export async function readManifest(path: string, members: ZipMembers): Promise<ExportManifest> {
  const member = members.get(MANIFEST_FILE);
  if (member === undefined) {
    throw new ImportFormatError(
      `a ZIP file with ${members.size} files and without ${MANIFEST_FILE}`,
    );
  }
  const bytes = await memberBytes(path, member, MANIFEST_BOUNDS.bytes);
  if (bytes === null) throw new ImportFormatError(`a ZIP file whose ${MANIFEST_FILE} is too long`);
  const manifest = parseManifest(bytes);
  for (const name of members.keys()) {
    if (name === MANIFEST_FILE || manifest.files.has(name)) continue;
    throw brokenExportError(
      `${MANIFEST_FILE} does not list the file ${JSON.stringify(name.slice(0, 100))}`,
    );
  }
  const { size } = await stat(path);
  const said = [...manifest.files.values()].reduce((sum, { bytes: one }) => sum + one, 0);
  if (said > maxPlainBytes(size)) throw new BombError();
  return manifest;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** @throws ImportFormatError for a broken manifest, or a newer format */
export function parseManifest(bytes: Buffer): ExportManifest {
  const { format, version, files } = objectIn(bytes);
  if (typeof format === 'number' && format > EXPORT_FORMAT) {
    const by = typeof version === 'string' ? ` of Curtail ${version.slice(0, 20)}` : '';
    throw new ImportFormatError(
      `an export${by} in format ${format}, but this release reads only format ${EXPORT_FORMAT}: update it first`,
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

function objectIn(bytes: Buffer): JsonFields {
  const read = boundedJson(bytes, { values: MANIFEST_BOUNDS.values });
  const object = 'value' in read ? toFields(read.value) : null;
  if (object === null) throw brokenManifestError();
  return object;
}

function isFile(value: unknown): value is ExportedFile {
  if (typeof value !== 'object' || value === null) return false;
  const { name, bytes, sha256, records } = value as Readonly<Record<string, unknown>>;
  const isNamed = typeof name === 'string' && isExportFile(name);
  const isHashed = typeof sha256 === 'string' && SHA256.test(sha256);
  return isNamed && isHashed && isCount(bytes) && (records === null || isCount(records));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function brokenManifestError(): ImportFormatError {
  return new ImportFormatError('an export whose manifest.json cannot be read');
}

/** Exports have no id, so an export is identified by the digests of its files. */
function hashFiles(files: readonly ExportedFile[]): string {
  const lines = files.map(({ name, bytes, sha256 }) => `${sha256} ${bytes} ${name}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
