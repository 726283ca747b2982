import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { boundedJson } from '../../../common/http/json-bodies';
import { type JsonFields, toFields } from '../../reading/json-answer';
import {
  ANY_ROOM,
  gunzipped,
  gunzippedBytes,
  maxPlainBytes,
  memberBytes,
  metered,
  openMember,
} from '../../reading/plain-file';
import { BombError, ImportFormatError } from '../../reading/source.errors';
import { type ZipMember, zipMembers } from '../../reading/zip-member';
import { parseItem } from './exported-link';
import { type Line, splitLines } from './lines';

/** An export contains a file for each link with clicks. */
const MAX_EXPORT_FILES = 200_000;
/** Maximum size of the manifest: an amount per file in the zip, plus a fixed amount. */
const MANIFEST_ENTRY = { bytes: 512, values: 8 };
const MANIFEST_HEAD = { bytes: 64 * 1024, values: 1000 };
/** A link's clicks up to this compressed size are decompressed in memory. */
const MAX_PACKED_BYTES = 256 * 1024;
const MANIFEST_FILE = 'manifest.json';
const LINKS_FILE = 'links.ndjson';
const LINE_END = Buffer.from('\n');

export interface ExportHead {
  readonly id: string;
  readonly hasClicks: boolean;
}

export interface LinkHead {
  /** Byte length of the link's JSON line, which follows this head. */
  readonly item: number;
  readonly problem: string | null;
  /** Byte length of the clicks, which follow the link, one per line. */
  readonly clicks: number;
  readonly clickCount: number;
}

type ZipMembers = ReadonlyMap<string, ZipMember>;
type ExportPieces = AsyncGenerator<Buffer, void>;

/** The copy appears atomically once all files match the manifest. @throws ImportFormatError */
export async function exportedLinks(path: string, room = ANY_ROOM): Promise<string> {
  const plain = `${path}.plain`;
  const isThere = await access(plain).then(
    () => true,
    () => false,
  );
  if (isThere) return plain;
  const part = `${plain}.part`;
  const { size } = await stat(path);
  try {
    const copy = new ExportCopy(path, Math.min(maxPlainBytes(size), room.maxBytes));
    await pipeline(copy.pieces(), metered(room), createWriteStream(part, { mode: 0o600 }));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await rename(part, plain);
  return plain;
}

class ExportCopy {
  /** Total decompressed size of the clicks read so far. */
  private plainBytes = 0;

  constructor(
    private readonly path: string,
    private readonly maxBytes: number,
  ) {}

  async *pieces(): ExportPieces {
    const members = await zipMembers(this.path, MAX_EXPORT_FILES);
    if (typeof members === 'string') throw new ImportFormatError(members);
    const { id, files } = await this.manifest(members);
    const left = new Map(files);
    const hasClicks = [...left.keys()].some(isOfClicks);
    yield Buffer.from(`${JSON.stringify({ id, hasClicks } satisfies ExportHead)}\n`);
    yield* this.links(members, left);
    for (const file of left.values()) {
      if (isOfClicks(file.name))
        throw brokenExportError(`it contains ${file.name}, but not the link`);
      await tallyClicks(this.checked(findMember(members, file), file));
    }
  }

  private async manifest(members: ZipMembers): Promise<ExportManifest> {
    const member = members.get(MANIFEST_FILE);
    if (member === undefined) {
      throw new ImportFormatError(
        `a ZIP file with ${members.size} files and without ${MANIFEST_FILE}`,
      );
    }
    const bound = (unit: 'bytes' | 'values') =>
      MANIFEST_HEAD[unit] + MANIFEST_ENTRY[unit] * members.size;
    const bytes = await memberBytes(this.path, member, bound('bytes'));
    if (bytes === null)
      throw new ImportFormatError(`a ZIP file whose ${MANIFEST_FILE} is too long`);
    const manifest = parseManifest(bytes, bound('values'));
    for (const name of members.keys()) {
      if (name === MANIFEST_FILE || manifest.files.has(name)) continue;
      throw brokenExportError(
        `${MANIFEST_FILE} does not list the file ${JSON.stringify(name.slice(0, 100))}`,
      );
    }
    const said = [...manifest.files.values()].reduce((sum, { bytes: one }) => sum + one, 0);
    if (said > this.maxBytes) throw new BombError();
    return manifest;
  }

  /** Removes from `left` each click file that it reads. */
  private async *links(members: ZipMembers, left: Map<string, ExportedFile>): ExportPieces {
    const links = left.get(LINKS_FILE);
    if (links === undefined) throw new ImportFormatError(`an export without ${LINKS_FILE}`);
    left.delete(LINKS_FILE);
    let count = 0;
    for await (const line of splitLines(this.checked(findMember(members, links), links))) {
      count++;
      const file = left.get(`clicks/${idIn(line)}.ndjson.gz`);
      if (file === undefined) {
        yield headed(line, NO_CLICKS);
        continue;
      }
      left.delete(file.name);
      yield* this.withClicks(line, findMember(members, file), file);
    }
    refuseCount(links, count);
  }

  /** A large file is read twice, because the number of clicks precedes the clicks. */
  private async *withClicks(line: Line, member: ZipMember, file: ExportedFile): ExportPieces {
    const max = this.maxBytes - this.plainBytes;
    const held = file.bytes <= MAX_PACKED_BYTES ? [await this.heldClicks(member, file, max)] : null;
    const open = () => held ?? gunzipped(this.checked(member, file), max);
    const tally = await tallyClicks(open());
    refuseCount(file, tally.clickCount);
    this.plainBytes += tally.clicks;
    yield headed(line, tally);
    yield* open();
    if (tally.lacksEnd) yield LINE_END;
  }

  private async heldClicks(member: ZipMember, file: ExportedFile, max: number): Promise<Buffer> {
    const bytes = await memberBytes(this.path, member, MAX_PACKED_BYTES);
    if (bytes === null || sha256Hex(bytes) !== file.sha256) throw notAsSaid(file);
    return gunzippedBytes(bytes, max);
  }

  /** Yields decompressed bytes; throws at the end if they do not match the manifest. */
  private async *checked(member: ZipMember, file: ExportedFile): ExportPieces {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of openMember(this.path, member)) {
      bytes += piece.length;
      if (bytes > file.bytes) throw notAsSaid(file);
      hash.update(piece);
      yield piece;
    }
    if (bytes !== file.bytes || hash.digest('hex') !== file.sha256) throw notAsSaid(file);
  }
}

interface ClickTally extends Pick<LinkHead, 'clickCount' | 'clicks'> {
  readonly lacksEnd: boolean;
}

const NO_CLICKS: ClickTally = { clicks: 0, clickCount: 0, lacksEnd: false };

async function tallyClicks(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<ClickTally> {
  const [end = 0] = LINE_END;
  let [bytes, lines, last] = [0, 0, end];
  for await (const piece of pieces) {
    bytes += piece.length;
    for (let at = piece.indexOf(end); at !== -1; at = piece.indexOf(end, at + 1)) lines++;
    last = piece.at(-1) ?? last;
  }
  const lacksEnd = last !== end;
  const missingEnds = lacksEnd ? 1 : 0;
  return { clicks: bytes + missingEnds, clickCount: lines + missingEnds, lacksEnd };
}

function headed({ bytes, problem }: Line, { clicks, clickCount }: ClickTally): Buffer {
  const head: LinkHead = { item: bytes.length, problem, clicks, clickCount };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes, LINE_END]);
}

function idIn(line: Line): string {
  const item = parseItem(line);
  return typeof item !== 'string' && typeof item.id === 'string' ? item.id : '';
}

function isOfClicks(name: string): boolean {
  return name.startsWith('clicks/');
}

function findMember(members: ZipMembers, { name }: ExportedFile): ZipMember {
  const member = members.get(name);
  if (member === undefined) throw brokenExportError(`${name} is missing`);
  return member;
}

function sha256Hex(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function refuseCount(file: ExportedFile, count: number): void {
  if (file.records !== null && file.records !== count) throw notAsSaid(file);
}

function notAsSaid({ name }: ExportedFile): ImportFormatError {
  return brokenExportError(`${name} does not match ${MANIFEST_FILE}`);
}

function brokenExportError(how: string): ImportFormatError {
  return new ImportFormatError(`a broken export: ${how}`);
}

const EXPORT_FORMAT = 1;
const FILE_NAME = /^(?:account\.json|links\.ndjson|README\.txt|clicks\/[0-9a-f]{24}\.ndjson\.gz)$/;
const SHA256 = /^[0-9a-f]{64}$/;

interface ExportedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Line count; null for files without lines. */
  readonly records: number | null;
}

interface ExportManifest {
  /** Derived from the content, so that only identical exports have equal ids. */
  readonly id: string;
  readonly files: ReadonlyMap<string, ExportedFile>;
}

/** @throws ImportFormatError for a broken manifest, or a newer format */
export function parseManifest(bytes: Buffer, maxValues: number): ExportManifest {
  const { format, version, files } = objectIn(bytes, maxValues);
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

/** Exports have no id, so an export is identified by the digests of its files. */
function hashFiles(files: readonly ExportedFile[]): string {
  const lines = files.map(({ name, bytes, sha256 }) => `${sha256} ${bytes} ${name}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
