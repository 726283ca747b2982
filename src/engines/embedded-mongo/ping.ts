import { connect } from 'node:net';

/** `{ping: 1, $db: 'admin'}` encoded as BSON. */
const COMMAND = Buffer.concat([
  Buffer.from([30, 0, 0, 0]),
  Buffer.from('\x10ping\0\x01\0\0\0', 'latin1'),
  Buffer.from('\x02$db\0\x06\0\0\0admin\0', 'latin1'),
  Buffer.from([0]),
]);
const MESSAGE_HEADER_BYTES = 16;
const OP_MSG = 2013;

/** Works without a database driver, which the engine's process does not otherwise need. */
export async function ping(socketPath: string, timeoutMs: number): Promise<void> {
  const socket = connect(socketPath);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(timeoutMs, () => reject(new Error(`no reply in ${timeoutMs} ms`)));
      socket.once('data', () => resolve());
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
      socket.write(pingMessage());
    });
  } finally {
    socket.destroy();
  }
}

function pingMessage(): Buffer {
  const head = Buffer.alloc(MESSAGE_HEADER_BYTES + 5);
  head.writeInt32LE(head.length + COMMAND.length, 0);
  head.writeInt32LE(1, 4);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, COMMAND]);
}
