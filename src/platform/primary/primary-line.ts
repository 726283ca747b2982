import { Desk, primaryDesk } from './desk';
import { Peer, type PeerAnswer } from './peer';
import { HELLO } from './switchboard';

const HELLO_MS = 10_000;

/** A web process' line to the primary; in a service of one process it ends in the same process. */
export abstract class PrimaryLine {
  private readonly answers = new Map<string, (body: unknown) => unknown>();

  /** Rejects when the primary throws or does not answer within `timeoutMs`. */
  abstract ask(topic: string, body: unknown, timeoutMs: number): Promise<unknown>;

  /** Says what this process answers when the primary asks. */
  serve(topic: string, answer: (body: unknown) => unknown): void {
    this.answers.set(topic, answer);
  }

  protected readonly reply: PeerAnswer = (topic, body) => this.answers.get(topic)?.(body);
}

/** The web part runs in the primary itself. */
export class InnerLine extends PrimaryLine {
  constructor(private readonly desk: Desk = primaryDesk) {
    super();
  }

  ask(topic: string, body: unknown): Promise<unknown> {
    return this.desk.ask(topic, body);
  }
}

/** The web part runs in a worker of node:cluster. */
export class WorkerLine extends PrimaryLine {
  private readonly peer: Peer;

  constructor(channel: NodeJS.Process = process) {
    super();
    this.peer = new Peer(
      {
        send: (message) => {
          if (!channel.connected) return false;
          channel.send?.(message, undefined, undefined, () => undefined);
          return true;
        },
        onMessage: (listener) => void channel.on('message', listener),
      },
      this.reply,
    );
  }

  /** Makes this worker known; from then on the primary tells it of changes. */
  async open(): Promise<void> {
    await this.peer.ask(HELLO, null, HELLO_MS);
  }

  ask(topic: string, body: unknown, timeoutMs: number): Promise<unknown> {
    return this.peer.ask(topic, body, timeoutMs);
  }
}
