/** Tells apart who asks: undefined when the question comes from the primary's own web part. */
export type RpcCaller = number | undefined;

export type RpcHandler = (body: unknown, asker: RpcCaller) => unknown;

/**
 * The questions that web processes put to the primary, by topic. With one process the context is
 * asked directly, with workers through the hub.
 */
export class RpcHandlers {
  private readonly answers = new Map<string, RpcHandler>();

  /** Says who answers a topic from now on. */
  handle(topic: string, answer: RpcHandler): void {
    this.answers.set(topic, answer);
  }

  async call(topic: string, body: unknown, asker?: RpcCaller): Promise<unknown> {
    const answer = this.answers.get(topic);
    if (answer === undefined) throw new Error(`nobody answers ${topic}`);
    return await answer(body, asker);
  }
}

/** The context of this process, if it is the primary. */
export const primaryHandlers = new RpcHandlers();
