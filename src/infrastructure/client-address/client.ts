import type { Socket } from 'node:net';

/**
 * Who sends a request, as far as services may know: by what its limits and its place in fair
 * queues are counted, and whether anybody still waits for the answer.
 */
export class Client {
  constructor(
    /** `192.0.2.1` or `2001:db8:1:2::/64`; every request of the client has the same. */
    readonly key: string,
    private readonly socket: Pick<Socket, 'destroyed'> | null = null,
    /** The whole address, for notices to account holders. */
    readonly address = key,
  ) {}

  /**
   * True once the connection is closed. Asked for rather than announced: a listener per request
   * would pile up on a socket whose requests come in one go.
   */
  get gone(): boolean {
    return this.socket?.destroyed ?? false;
  }
}
