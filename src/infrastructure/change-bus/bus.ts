/** Channels of the bus; messages are small JSON values. */
export type BusChannel =
  | 'links.changed'
  | 'journal.seal'
  | 'files.changed'
  | 'tags.changed'
  | 'domains.changed'
  | 'accounts.closed';

export type BusListener = (message: unknown) => void;

/** A message on its way between processes. */
export interface BusMessage {
  readonly channel: BusChannel;
  readonly message: unknown;
}

/**
 * Tells every web process that shares this service's database of a change: this one at once, the
 * other workers through the primary, other machines through Redis when there is one.
 * `publish` resolves when the listeners of this machine have run, and when Redis has the message
 * or does not answer. It never rejects: the change itself is stored already.
 */
export abstract class ChangeBus {
  private readonly listeners = new Map<BusChannel, BusListener[]>();
  private readonly gapListeners: (() => void)[] = [];

  abstract publish(channel: BusChannel, message: unknown): Promise<void>;

  /** False while changes made elsewhere may not be heard; what is remembered is then doubtful. */
  get isWhole(): boolean {
    return true;
  }

  /** True when other machines may hear what is published. */
  get spansMachines(): boolean {
    return false;
  }

  subscribe(channel: BusChannel, listener: BusListener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
  }

  /** Runs when messages may have been lost: everything remembered may be out of date. */
  onGap(listener: () => void): void {
    this.gapListeners.push(listener);
  }

  /** Takes up a message that has come on another way; it is passed on to nobody. */
  hearMessage(message: BusMessage): void {
    this.deliver(message);
  }

  /** The same where messages on that way were lost. */
  hearOfGap(): void {
    this.tellOfGap();
  }

  /** Runs this process' listeners. */
  protected deliver({ channel, message }: BusMessage): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(message);
  }

  protected tellOfGap(): void {
    for (const listener of this.gapListeners) listener();
  }
}
