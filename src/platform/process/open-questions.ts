import { Payload } from './companion-messages';
import { ChildUnansweredError } from './companion.errors';

interface OpenQuestion {
  type: string;
  resolve(reply: Payload): void;
  reject(error: Error): void;
  deadline: NodeJS.Timeout;
}

/** The questions put to one child process that it has not answered yet, by their id. */
export class PendingCalls {
  private readonly waiting = new Map<number, OpenQuestion>();
  private lastId = 0;

  constructor(private readonly companion: string) {}

  /** Sends a question under a new id; settles with its reply, the time limit or the end. */
  open(type: string, timeoutMs: number, send: (id: number) => void): Promise<Payload> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => this.refuse(id, `no reply in ${timeoutMs} ms`), timeoutMs);
      this.waiting.set(id, { type, resolve, reject, deadline });
      send(id);
    });
  }

  /** Settles the question a reply belongs to; replies that come too late have none. */
  answer(id: unknown, { error, ...reply }: Payload): void {
    if (typeof id !== 'number') return;
    if (typeof error === 'string') this.refuse(id, error);
    else this.take(id)?.resolve(reply);
  }

  /** Refuses everything that is still open. */
  abandon(reason: string): void {
    for (const id of [...this.waiting.keys()]) this.refuse(id, reason);
  }

  private refuse(id: number, reason: string): void {
    const question = this.take(id);
    question?.reject(new ChildUnansweredError(this.companion, question.type, reason));
  }

  private take(id: number): OpenQuestion | undefined {
    const question = this.waiting.get(id);
    this.waiting.delete(id);
    clearTimeout(question?.deadline);
    return question;
  }
}
