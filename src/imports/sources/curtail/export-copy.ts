import { createHash } from 'node:crypto';
import { access, type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { ANY_ROOM, CopyMeter, maxPlainBytes, openMember } from '../../reading/plain-file';
import { ImportFormatError } from '../../reading/source.errors';
import { MAX_ZIP_ENTRIES, type ZipMember, zipMembers } from '../../reading/zip-member';
import {
  COUNTS_FILE,
  type ExportedFile,
  isClicksFile,
  LINKS_FILE,
  MANIFEST_FILE,
} from './export-codec';
import { brokenExportError, readManifest, type ZipMembers } from './export-manifest';
import { parseItem } from './exported-link';
import { type Line, splitLines } from './lines';

/** Twice the maximum size of a link's counts. */
const MAX_COUNTS_BYTES = 32 * 1024 * 1024;
const COPY_CHUNK_BYTES = 64 * 1024;
const LINE_END = Buffer.from('\n');
/** Represents a line that is too long, so that it is counted as unreadable. */
const UNREADABLE = Buffer.from('null');

export interface ExportHead {
  readonly id: string;
  readonly hasClicks: boolean;
}

export interface LinkHead {
  /** Byte length of the link's JSON line, which follows this head. */
  readonly item: number;
  readonly problem: string | null;
  /** Byte length of the link's counts, which precede its clicks in the second file. */
  readonly counts: number;
  readonly clicks: number;
  readonly clickCount: number;
}

export interface CopiedExport {
  /** Heads and links. */
  readonly links: string;
  /** Counts and clicks in link order. */
  readonly history: string;
}

type ExportPieces = AsyncGenerator<Buffer, void>;

/** The copies appear once all files match the manifest. @throws ImportFormatError */
export async function copiedExport(path: string, room = ANY_ROOM): Promise<CopiedExport> {
  const copied: CopiedExport = { links: `${path}.plain`, history: `${path}.history` };
  const isThere = await access(copied.links).then(
    () => true,
    () => false,
  );
  if (isThere) return copied;
  const part = `${copied.links}.part`;
  const { size } = await stat(path);
  const meter = new CopyMeter({
    ...room,
    maxBytes: Math.min(maxPlainBytes(size), room.maxBytes),
  });
  const files = await Promise.all([open(part, 'w', 0o600), open(copied.history, 'w', 0o600)]);
  try {
    const [links, history] = files.map((file) => new CopyFile(file, meter));
    if (links !== undefined && history !== undefined) await copyExport(path, links, history);
  } catch (error) {
    await Promise.all([part, copied.history].map((each) => rm(each, { force: true })));
    throw error;
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
  await rename(part, copied.links);
  return copied;
}

class CopyFile {
  private pieces: Buffer[] = [];
  private held = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly meter: CopyMeter,
  ) {}

  async write(...pieces: readonly Buffer[]): Promise<void> {
    this.pieces.push(...pieces);
    for (const { length } of pieces) this.held += length;
    if (this.held >= COPY_CHUNK_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.pieces);
    [this.pieces, this.held] = [[], 0];
    await this.meter.add(bytes.length);
    await this.file.writeFile(bytes);
  }
}

/** All lines of some files, with a look-ahead of one line. */
class LineQueue {
  private next?: Line | null;

  constructor(private readonly lines: AsyncGenerator<Line, void>) {}

  async peek(): Promise<Line | null> {
    if (this.next === undefined) {
      const next = await this.lines.next();
      this.next = next.done === true ? null : next.value;
    }
    return this.next;
  }

  drop(): void {
    this.next = undefined;
  }
}

async function copyExport(path: string, links: CopyFile, history: CopyFile): Promise<void> {
  const members = await zipMembers(path, MAX_ZIP_ENTRIES);
  if (typeof members === 'string') throw new ImportFormatError(members);
  const { id, files } = await readManifest(path, members);
  const linesIn = (names: readonly string[]) =>
    linesOf(
      path,
      names.map((name) => findFile(members, files, name)),
    );
  const clickNames = [...files.keys()].filter(isClicksFile).sort();
  const head: ExportHead = { id, hasClicks: clickNames.length > 0 };
  await links.write(Buffer.from(JSON.stringify(head)), LINE_END);
  const [counts, clicks] = [[COUNTS_FILE], clickNames].map(
    (names) => new LineQueue(linesIn(names)),
  );
  if (counts === undefined || clicks === undefined) throw new RangeError('A queue is missing');
  for await (const line of linesIn([LINKS_FILE])) {
    const linkId = idIn(line);
    const counted = await copyLines(counts, linkId, history);
    if (counted.bytes > MAX_COUNTS_BYTES) throw brokenExportError('a link has too many counts');
    const clicked = await copyLines(clicks, linkId, history);
    const about: LinkHead = {
      item: line.bytes.length,
      problem: line.problem,
      counts: counted.bytes,
      clicks: clicked.bytes,
      clickCount: clicked.count,
    };
    await links.write(Buffer.from(JSON.stringify(about)), LINE_END, line.bytes, LINE_END);
  }
  for (const [what, queue] of [
    ['counts', counts],
    ['clicks', clicks],
  ] as const) {
    const left = await queue.peek();
    if (left !== null) {
      throw brokenExportError(`it contains ${what} of ${linkIdIn(left) ?? ''}, but not the link`);
    }
  }
  const read = new Set([COUNTS_FILE, LINKS_FILE, ...clickNames]);
  for (const name of files.keys()) {
    if (read.has(name)) continue;
    const { member, file } = findFile(members, files, name);
    const pieces = checkedPieces(path, member, file);
    while ((await pieces.next()).done !== true) continue;
  }
  await links.flush();
  await history.flush();
}

/** Copies the next lines that belong to the link. */
async function copyLines(
  queue: LineQueue,
  linkId: string,
  into: CopyFile,
): Promise<{ bytes: number; count: number }> {
  let [bytes, count] = [0, 0];
  for (let line = await queue.peek(); line !== null; line = await queue.peek()) {
    const owner = linkIdIn(line);
    if (owner !== null && owner !== linkId) break;
    const text = line.problem === null ? line.bytes : UNREADABLE;
    await into.write(text, LINE_END);
    bytes += text.length + 1;
    count += 1;
    queue.drop();
  }
  return { bytes, count };
}

const LINE_START = '{"url_id":"';
const ID_LENGTH = 24;

/** Null if the line is unreadable. */
function linkIdIn({ bytes, problem }: Line): string | null {
  if (problem !== null) return null;
  const start = bytes.toString('latin1', 0, LINE_START.length + ID_LENGTH + 1);
  // Most lines start in the codec's format, so they do not have to be parsed.
  if (start.startsWith(LINE_START) && start.endsWith('"'))
    return start.slice(LINE_START.length, -1);
  const item = parseItem({ bytes, problem });
  return typeof item !== 'string' && typeof item.url_id === 'string' ? item.url_id : null;
}

function idIn(line: Line): string {
  const item = parseItem(line);
  return typeof item !== 'string' && typeof item.id === 'string' ? item.id : '';
}

interface FoundFile {
  readonly member: ZipMember;
  readonly file: ExportedFile;
}

async function* linesOf(path: string, found: readonly FoundFile[]): AsyncGenerator<Line, void> {
  for (const { member, file } of found) yield* splitLines(checkedPieces(path, member, file));
}

/** Yields decompressed bytes; throws at the end if they do not match the manifest. */
async function* checkedPieces(path: string, member: ZipMember, file: ExportedFile): ExportPieces {
  const hash = createHash('sha256');
  const [end = 0] = LINE_END;
  let [bytes, lines, last] = [0, 0, end];
  for await (const piece of openMember(path, member)) {
    bytes += piece.length;
    if (bytes > file.bytes) throw notAsSaid(file);
    hash.update(piece);
    for (let at = piece.indexOf(end); at !== -1; at = piece.indexOf(end, at + 1)) lines++;
    last = piece.at(-1) ?? last;
    yield piece;
  }
  if (last !== end) lines++;
  const isCounted = file.records === null || file.records === lines;
  if (!isCounted || bytes !== file.bytes || hash.digest('hex') !== file.sha256)
    throw notAsSaid(file);
}

function findFile(
  members: ZipMembers,
  files: ReadonlyMap<string, ExportedFile>,
  name: string,
): FoundFile {
  const file = files.get(name);
  if (file === undefined) throw new ImportFormatError(`an export without ${name}`);
  const member = members.get(name);
  if (member === undefined) throw brokenExportError(`${name} is missing`);
  return { member, file };
}

function notAsSaid({ name }: ExportedFile): ImportFormatError {
  return brokenExportError(`${name} does not match ${MANIFEST_FILE}`);
}
