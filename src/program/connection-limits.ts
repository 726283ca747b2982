import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../common/log';

/** File descriptors reserved for the journal, the database, files and other processes. */
const RESERVE = 200;
/** Limit if descriptors are unlimited; each connection takes about 8 KB of memory. */
const MAX_CONNECTIONS = 30_000;
/** Assumed number of descriptors if the system does not report a limit. */
const DEFAULT_DESCRIPTORS = 1024;
const PER_CLIENT = 200;
/** Minimum per worker, because connections are not distributed evenly among workers. */
const MIN_PER_CLIENT = 50;
/** A request that has not arrived after this time may be closed for a new connection. */
const SLOW_CONNECTION_MS = 2000;
/** If no connection could be closed, new connections are refused for this long. */
const LOOK_AGAIN_MS = 100;
const WARN_EVERY_MS = 60_000;

export interface ConnectionLimits {
  readonly inTotal: number;
  readonly perClient: number;
}

/** @param processes number of web processes; each has the same descriptor limit */
export function connectionLimits(
  processes: number,
  descriptors = descriptorLimit(),
): ConnectionLimits {
  const free = Math.max(descriptors - RESERVE, Math.floor(descriptors / 2));
  return {
    inTotal: Math.min(free, MAX_CONNECTIONS),
    perClient: Math.max(Math.ceil(PER_CLIENT / processes), MIN_PER_CLIENT),
  };
}

/** Returns the soft limit, which Node raises to the hard limit when it starts. */
function descriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
    if (soft === 'unlimited') return Infinity;
    return soft === undefined ? DEFAULT_DESCRIPTORS : Number(soft);
  } catch {
    return DEFAULT_DESCRIPTORS;
  }
}

export interface ConnectionFacts {
  /** Returns the client's key; null for a proxy, which serves many clients. */
  keyOf(socket: Socket): string | null;
  /** Whether no request is being received or answered. */
  isIdle(socket: Socket): boolean;
  /** Milliseconds since an incomplete request began; 0 if there is none. */
  readingMs(socket: Socket): number;
}

class CountedConnection {
  /** Time of the last check before the latest bytes arrived. */
  activeAt = performance.now();
  private lookedAt = this.activeAt;
  private seen = 0;

  constructor(
    readonly socket: Socket,
    /** All the client's connections; null for a proxy. */
    readonly siblings: Set<CountedConnection> | null,
  ) {}

  look(now: number): void {
    const { bytesRead } = this.socket;
    if (bytesRead !== this.seen) this.activeAt = this.lookedAt;
    this.seen = bytesRead;
    this.lookedAt = now;
  }

  get isUnused(): boolean {
    return this.socket.bytesRead === 0;
  }

  get ofClient(): number {
    return this.siblings?.size ?? 0;
  }
}

/**
 * Keeps the number of connections below the descriptor limit, and each client's number below its
 * share. Closes idle connections: first those from the client with the most connections, and among
 * them the connection that has been idle longest.
 */
export class ConnectionGuard {
  private readonly all = new Set<CountedConnection>();
  private readonly byClient = new Map<string, Set<CountedConnection>>();
  /** Until this time, clients with at least this many connections are refused without a search. */
  private noRoom = { until: 0, siblings: 0 };
  private nextWarning = 0;
  private refused = 0;
  private closed = 0;

  constructor(
    server: Server,
    private readonly limits: ConnectionLimits,
    private readonly facts: ConnectionFacts,
    private readonly log: Pick<Logger, 'warn'>,
  ) {
    server.on('connection', (socket: Socket) => this.admit(socket));
  }

  private admit(socket: Socket): void {
    const key = this.facts.keyOf(socket);
    const siblings = key === null ? null : (this.byClient.get(key) ?? new Set());
    if (!this.hasRoomForClient(siblings) || !this.hasRoomInTotal(siblings)) {
      this.refused++;
      this.warn();
      socket.destroy();
      return;
    }
    const connection = new CountedConnection(socket, siblings);
    this.all.add(connection);
    if (key !== null && siblings !== null) this.byClient.set(key, siblings.add(connection));
    socket.once('close', () => {
      this.forget(connection);
      // Another set may have been stored under this key.
      if (key === null || siblings?.size !== 0) return;
      if (this.byClient.get(key) === siblings) this.byClient.delete(key);
    });
  }

  private hasRoomForClient(siblings: Set<CountedConnection> | null): boolean {
    if (siblings === null || siblings.size < this.limits.perClient) return true;
    const [idle] = this.idleOnes(siblings);
    if (idle === undefined) return false;
    this.close(idle);
    return true;
  }

  private hasRoomInTotal(newcomer: Set<CountedConnection> | null): boolean {
    if (this.all.size < this.limits.inTotal) return true;
    const siblings = newcomer?.size ?? 0;
    if (performance.now() < this.noRoom.until && siblings >= this.noRoom.siblings) return false;
    // A search examines every connection, so it closes several connections.
    const atOnce = Math.ceil(this.limits.inTotal / 50);
    for (const idle of this.idleOnes(this.all).slice(0, atOnce)) this.close(idle);
    if (this.all.size < this.limits.inTotal) return true;
    const [slow] = this.slowOnes(siblings);
    if (slow !== undefined) this.close(slow);
    else this.noRoom = { until: performance.now() + LOOK_AGAIN_MS, siblings };
    return slow !== undefined;
  }

  /** Returns the idle connections in the order in which they may be closed. */
  private idleOnes(among: Set<CountedConnection>): CountedConnection[] {
    const now = performance.now();
    return this.ordered(among, (connection) => {
      connection.look(now);
      // The request of a new connection may not have arrived yet.
      if (connection.isUnused) return now - connection.activeAt > SLOW_CONNECTION_MS;
      return this.facts.isIdle(connection.socket);
    });
  }

  /** Returns connections with a slow request, or a request from a client with more connections. */
  private slowOnes(newcomerHas: number): CountedConnection[] {
    return this.ordered(this.all, ({ siblings, socket, ofClient, isUnused }) => {
      const ms = siblings === null ? 0 : this.facts.readingMs(socket);
      const isArriving = isUnused || ms > 0;
      return ms > SLOW_CONNECTION_MS || (isArriving && ofClient > newcomerHas + 1);
    });
  }

  private ordered(
    among: Set<CountedConnection>,
    isCandidate: (connection: CountedConnection) => boolean,
  ): CountedConnection[] {
    return [...among]
      .filter(isCandidate)
      .sort((a, b) => b.ofClient - a.ofClient || a.activeAt - b.activeAt);
  }

  private close(connection: CountedConnection): void {
    this.closed++;
    this.warn();
    this.forget(connection);
    connection.socket.destroy();
  }

  private forget(connection: CountedConnection): void {
    this.all.delete(connection);
    connection.siblings?.delete(connection);
  }

  private warn(): void {
    const now = performance.now();
    if (now < this.nextWarning) return;
    this.nextWarning = now + WARN_EVERY_MS;
    this.log.warn('Too many connections; closing idle ones and rejecting new ones', {
      open: this.all.size,
      limit: this.limits.inTotal,
      limitOfClient: this.limits.perClient,
      // Number of connections since the previous warning.
      refused: this.refused,
      closed: this.closed,
    });
    this.refused = this.closed = 0;
  }
}
