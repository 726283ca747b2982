import { z } from 'zod';

/** Written last: without it, a backup is none. */
export const MANIFEST = 'backup.json';
const BACKUP_FORMAT = 1;
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

/** A part of a backup as its manifest names it. */
export interface BackupFile {
  name: string;
  bytes: number;
  sha256: string;
  /** How many, in a collection. */
  documents?: number;
}

export interface BackupManifest {
  format: number;
  /** The version of the program that made it. */
  version: string;
  started_at: string;
  finished_at: string;
  files: BackupFile[];
}

/** Generated secrets of DATA_DIR, which `--without-secrets` leaves out. */
export const SECRET_FILES = ['jwt-secret', 'visitor-key'] as const;

/** Files of DATA_DIR that belong to the stored clicks. */
export const STATE_FILES = ['recorder-intents', 'node-id'] as const;

const COLLECTION = /^database\/([\w.-]{1,120})\.(bson|metadata\.json)$/;
const DATA_FILE = new RegExp(
  `^data/(?:journal/[^/\\\\]{1,200}\\.(?:open|sealed)|${[...STATE_FILES, ...SECRET_FILES].join('|')})$`,
);

/** The collection that a part belongs to, and which half of it the part is; null for all others. */
export function parseCollection(name: string): { collection: string; half: string } | null {
  const [, collection, half] = COLLECTION.exec(name) ?? [];
  return collection === undefined || half === undefined ? null : { collection, half };
}

/** The path below DATA_DIR of a part that is a file of it; null for all others. */
export function dataFilePath(name: string): string | null {
  return DATA_FILE.test(name) ? name.slice('data/'.length) : null;
}

export function newManifest(manifest: Omit<BackupManifest, 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format: BACKUP_FORMAT, ...manifest }, null, 2)}\n`);
}

/** It is no backup, or one that cannot be relied on; the message says why in one line. */
export class BrokenBackupError extends Error {}

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

/** @throws BrokenBackupError */
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
    throw new BrokenBackupError('It was made by a later version of Curtail: restore it with that');
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) throw new BrokenBackupError(`${MANIFEST} is damaged`);
  const names = new Set(parsed.data.files.map(({ name }) => name));
  if (names.size < parsed.data.files.length) throw new BrokenBackupError(`${MANIFEST} is damaged`);
  return parsed.data;
}
