export type BusChannel =
  | 'clicks.deleted'
  | 'links.changed'
  | 'journal.seal'
  | 'files.changed'
  | 'tags.changed'
  | 'domains.changed'
  | 'accounts.closed'
  | 'blocked_hosts.changed';

export type BusListener = (message: unknown) => void;

export interface BusMessage {
  readonly channel: BusChannel;
  readonly message: unknown;
}

/**
 * Notifies all web processes that use the same database of a change: the primary forwards it on
 * this machine, and Redis forwards it to other machines. `publish` resolves once the local
 * listeners have run and Redis has accepted the message or failed to respond. It never rejects,
 * because the change is already stored.
 */
export abstract class ChangeBus {
  private readonly listeners = new Map<BusChannel, BusListener[]>();
  private readonly gapListeners: (() => void)[] = [];

  abstract publish(channel: BusChannel, message: unknown): Promise<void>;

  /** False if changes from other machines may be missed, so that caches may be stale. */
  get isWhole(): boolean {
    return true;
  }

  get spansMachines(): boolean {
    return false;
  }

  subscribe(channel: BusChannel, listener: BusListener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
  }

  /** Registers a listener that runs after messages may have been lost, to clear its caches. */
  onGap(listener: () => void): void {
    this.gapListeners.push(listener);
  }

  /** Delivers a message from another process to local listeners without forwarding it. */
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
