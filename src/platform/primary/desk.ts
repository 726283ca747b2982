/** Tells apart who asks: undefined when the question comes from the primary's own web part. */
export type Asker = number | undefined;

export type DeskAnswer = (body: unknown, asker: Asker) => unknown;

/**
 * The questions that web processes put to the primary, by topic. With one process the desk is
 * asked directly, with workers through the switchboard.
 */
export class Desk {
  private readonly answers = new Map<string, DeskAnswer>();

  /** Says who answers a topic from now on. */
  serve(topic: string, answer: DeskAnswer): void {
    this.answers.set(topic, answer);
  }

  async ask(topic: string, body: unknown, asker?: Asker): Promise<unknown> {
    const answer = this.answers.get(topic);
    if (answer === undefined) throw new Error(`nobody answers ${topic}`);
    return await answer(body, asker);
  }
}

/** The desk of this process, if it is the primary. */
export const primaryDesk = new Desk();
