import { open, rename } from 'node:fs/promises';
import path from 'node:path';

/** Writes a small file so that after any crash it is there whole, as it was or as it shall be. */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(path.dirname(file));
}

/**
 * Overwrites a part of a file that is there, durably. On a file system that writes in place this
 * takes no room; a crash may leave the part torn.
 */
export async function writeAt(file: string, content: Buffer, position: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    for (let done = 0; done < content.length;) {
      const { bytesWritten } = await handle.write(content, done, null, position + done);
      done += bytesWritten;
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** The first bytes of a file, at most so many; undefined when there is no file. */
export async function readAt(file: string, length: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileNotFound(error)) return undefined;
    throw error;
  }
}

export function isFileNotFound(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

/** A rename is only durable when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
