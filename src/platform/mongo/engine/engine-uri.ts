import { join } from 'node:path';
import { socketFolder } from './socket-folder';

/** The path of the socket of the engine on this data folder, whether one runs or not. */
export function engineSocket(dataDir: string): string {
  return join(socketFolder(dataDir), 'mongo.sock');
}

/** The address of a database behind an engine's socket. */
export function engineUri(socket: string, database: string): string {
  const [host, name] = [socket, database].map(encodeURIComponent);
  return `mongodb://${host}/${name}?directConnection=true`;
}
