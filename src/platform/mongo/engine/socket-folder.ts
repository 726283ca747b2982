import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** What the engine's library puts below its temporary folder: `/embedded-mongodb-XXXXXX/…`. */
const BELOW_BYTES = '/embedded-mongodb-XXXXXX/mongodb.sock'.length;
/** The longest socket path that every supported system takes (macOS; Linux takes 107). */
const SOCKET_PATH_BYTES = 103;

/**
 * The private folder of an engine's sockets: the same for the same data folder and user, short
 * enough for socket paths however deep the data lies, and readable by its owner alone.
 * @throws Error when somebody else made a folder of that name
 */
export function socketFolder(dataDir: string, temporary = tmpdir()): string {
  const { uid } = userInfo();
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
