import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

const servers: Server[] = [];

/** Folders, links, pipes and sockets in place of a file, which could block its reader. */
export const ODD_FILES: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
  'a folder': (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), '');
  },
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
  'a link to nothing': (path) => symlinkSync('/nowhere', path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a pipe': (path) => {
    if (spawnSync('mkfifo', [path]).status !== 0) throw new Error('mkfifo failed');
  },
  'a socket': async (path) => {
    const server = createServer().listen(path);
    servers.push(server);
    await once(server, 'listening');
  },
};

export function closeOddFiles(): void {
  for (const server of servers.splice(0)) server.close();
}
