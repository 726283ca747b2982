export type BusChannel =
  | 'links.changed'
  | 'journal.seal'
  | 'files.changed'
  | 'tags.changed'
  | 'domains.changed'
  | 'accounts.closed';

export type BusListener = (message: unknown) => void;

export interface BusMessage {
  readonly channel: BusChannel;
  readonly message: unknown;
}

/**
 * Notifies every web process on the same database of a change: through the primary on this
 * machine, through Redis on other machines. `publish` resolves when local listeners have run
 * and Redis has the message or does not respond. It never rejects: the change is already
 * stored.
 */
export abstract class ChangeBus {
  private readonly listeners = new Map<BusChannel, BusListener[]>();
  private readonly gapListeners: (() => void)[] = [];

  abstract publish(channel: BusChannel, message: unknown): Promise<void>;

  /** False while remote changes may be missed, so that cached values may be stale. */
  get isWhole(): boolean {
    return true;
  }

  get spansMachines(): boolean {
    return false;
  }

  subscribe(channel: BusChannel, listener: BusListener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
  }

  /** The listener runs when messages may have been lost and all caches may be stale. */
  onGap(listener: () => void): void {
    this.gapListeners.push(listener);
  }

  /** Delivers a message from another source locally, without forwarding it. */
  hearMessage(message: BusMessage): void {
    this.deliver(message);
  }

  hearOfGap(): void {
    this.tellOfGap();
  }

  protected deliver({ channel, message }: BusMessage): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(message);
  }

  protected tellOfGap(): void {
    for (const listener of this.gapListeners) listener();
  }
}
