/** What a peer speaks over: a worker's channel to its primary, or the primary's to a worker. */
export interface RpcTransport {
  send(message: object): boolean;
  onMessage(listener: (message: unknown) => void): void;
}

/** Answers a question; what it throws reaches the asker as a rejection. */
export type RpcAnswer = (topic: string, body: unknown) => unknown;

interface Asked {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

interface PeerMessage {
  curtail: 'ask' | 'reply';
  id: number;
  topic?: string;
  body?: unknown;
  error?: string;
}

/** One end of an IPC channel on which both ends ask and answer. Bodies are JSON values. */
export class RpcChannel {
  private readonly asked = new Map<number, Asked>();
  private lastId = 0;

  constructor(
    private readonly channel: RpcTransport,
    private readonly answer: RpcAnswer,
  ) {
    channel.onMessage((message) => {
      if (isPeerMessage(message)) this.take(message);
    });
  }

  /** Rejects when the other end throws, is gone, or does not answer within `timeoutMs`. */
  call(topic: string, body: unknown, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      const timer = setTimeout(() => this.settle(id, `no answer to ${topic} in time`), timeoutMs);
      this.asked.set(id, { resolve, reject, timer });
      if (!this.channel.send({ curtail: 'ask', id, topic, body } satisfies PeerMessage)) {
        this.settle(id, `nobody is there to answer ${topic}`);
      }
    });
  }

  /** Rejects all questions under way: the other end is gone. */
  close(): void {
    for (const id of [...this.asked.keys()]) this.settle(id, 'the other process is gone');
  }

  private take({ curtail, id, topic, body, error }: PeerMessage): void {
    if (curtail === 'ask') void this.reply(id, topic ?? '', body);
    else this.settle(id, error, body);
  }

  private async reply(id: number, topic: string, body: unknown): Promise<void> {
    try {
      const answered = await this.answer(topic, body);
      this.channel.send({ curtail: 'reply', id, body: answered } satisfies PeerMessage);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      this.channel.send({ curtail: 'reply', id, error } satisfies PeerMessage);
    }
  }

  private settle(id: number, error: string | undefined, body?: unknown): void {
    const asked = this.asked.get(id);
    if (asked === undefined) return;
    this.asked.delete(id);
    clearTimeout(asked.timer);
    if (error === undefined) asked.resolve(body);
    else asked.reject(new Error(error));
  }
}

function isPeerMessage(message: unknown): message is PeerMessage {
  return typeof message === 'object' && message !== null && 'curtail' in message;
}
