import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function engineSocket(dataDir: string): string {
  return join(socketFolder(dataDir), 'mongo.sock');
}

export function engineUri(socket: string, database: string): string {
  const [host, name] = [socket, database].map(encodeURIComponent);
  return `mongodb://${host}/${name}?directConnection=true`;
}

/** Length of the path that the library appends to its temporary folder. */
const BELOW_BYTES = '/embedded-mongodb-XXXXXX/mongodb.sock'.length;
/** Maximum length of a socket path on macOS; Linux allows 107 bytes. */
const SOCKET_PATH_BYTES = 103;

/**
 * Returns a private folder for sockets. Its path depends only on the data folder and the user, and
 * is short, because socket paths are limited. @throws Error if another user owns the folder
 */
export function socketFolder(dataDir: string, temporary = tmpdir()): string {
  // The numeric id is used, because a user in a container may not be in /etc/passwd.
  const uid = process.getuid?.() ?? 0;
  const digest = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12);
  const name = `curtail-${uid}-${digest}`;
  const fits = Buffer.byteLength(join(temporary, name)) + BELOW_BYTES <= SOCKET_PATH_BYTES;
  const folder = join(fits ? temporary : '/tmp', name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a private folder of this user; remove it`);
  }
  return folder;
}
