/** Channels of the bus; messages are small JSON values. */
export type BusChannel = 'links.changed' | 'links.removed';

export type BusListener = (message: unknown) => void;

/**
 * Tells every web process that shares this service's database of a change: this one at once, the
 * other workers through the primary, other machines through Redis when there is one.
 * `publish` resolves when the listeners of this machine have run.
 */
export abstract class Bus {
  private readonly listeners = new Map<BusChannel, BusListener[]>();

  abstract publish(channel: BusChannel, message: unknown): Promise<void>;

  subscribe(channel: BusChannel, listener: BusListener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
  }

  /** Runs this process' listeners. */
  protected deliver(channel: BusChannel, message: unknown): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(message);
  }
}
