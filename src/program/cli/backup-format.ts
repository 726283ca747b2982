import { z } from 'zod';
import { BrokenBackupError } from './cli.errors';

/** This file is written last, so that a backup without it is known to be incomplete. */
export const MANIFEST = 'backup.json';
const BACKUP_FORMAT = 1;
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

export interface BackupFile {
  name: string;
  bytes: number;
  sha256: string;
  /** Number of documents; present only for collections. */
  documents?: number;
}

export interface BackupManifest {
  format: number;
  version: string;
  started_at: string;
  finished_at: string;
  files: BackupFile[];
}

/** Secrets generated in DATA_DIR; not included with `--without-secrets`. */
export const SECRET_FILES = ['jwt-secret', 'visitor-key'] as const;

export const STATE_FILES = ['recorder-intents', 'node-id'] as const;

const COLLECTION = /^database\/([\w.-]{1,120})\.(bson|metadata\.json)$/;
const DATA_FILE = new RegExp(
  `^data/(?:journal/[^/\\\\]{1,200}\\.(?:open|sealed)|${[...STATE_FILES, ...SECRET_FILES].join('|')})$`,
);

export function countDocuments(files: readonly BackupFile[]): number {
  return files.reduce((sum, { documents = 0 }) => sum + documents, 0);
}

/** Returns the collection and whether the part has its data or metadata; otherwise null. */
export function parseCollection(name: string): { collection: string; half: string } | null {
  const [, collection, half] = COLLECTION.exec(name) ?? [];
  return collection === undefined || half === undefined ? null : { collection, half };
}

/** Returns the path relative to DATA_DIR; null if the part is not a file in DATA_DIR. */
export function dataFilePath(name: string): string | null {
  return DATA_FILE.test(name) ? name.slice('data/'.length) : null;
}

export function newManifest(manifest: Omit<BackupManifest, 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format: BACKUP_FORMAT, ...manifest }, null, 2)}\n`);
}

const manifestSchema = z.object({
  format: z.literal(BACKUP_FORMAT),
  version: z.string(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  files: z.array(
    z.object({
      name: z
        .string()
        .refine((name) => parseCollection(name) !== null || dataFilePath(name) !== null),
      bytes: z.int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      documents: z.int().nonnegative().optional(),
    }),
  ),
});

/** @throws BrokenBackupError if the manifest is invalid */
export function parseManifest(content: Buffer): BackupManifest {
  let value: unknown;
  try {
    if (content.length > MAX_MANIFEST_BYTES) throw new Error('too long');
    value = JSON.parse(content.toString());
  } catch {
    throw new BrokenBackupError(`${MANIFEST} is damaged`);
  }
  const { format } = (value ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format > BACKUP_FORMAT) {
    throw new BrokenBackupError(
      'The backup is from a later version of Curtail: restore it with that version',
    );
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) throw new BrokenBackupError(`${MANIFEST} is damaged`);
  const names = new Set(parsed.data.files.map(({ name }) => name));
  if (names.size < parsed.data.files.length) throw new BrokenBackupError(`${MANIFEST} is damaged`);
  return parsed.data;
}
