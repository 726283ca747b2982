import { randomUUID } from 'node:crypto';
import { OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Log } from '../../core/log';
import { Bus, BusChannel, BusListener, BusMessage } from './bus';
import { openBusConnection } from './bus-connection';
import { RedisEar } from './redis-ear';

const TOPIC = 'curtail:bus';

/** `gap`: what its sender has published before may not have arrived. */
type Parcel = { from: string } & (BusMessage | { gap: true });

/**
 * Reaches other machines through Redis, on top of the bus that reaches this machine's processes.
 * Every web process speaks and listens for itself. Whatever may be lost while Redis is away is
 * made good by a gap notice once it is back.
 */
export class RedisBus extends Bus implements OnApplicationShutdown {
  private readonly self = randomUUID();
  private readonly mouth: Redis;
  private readonly ear: RedisEar;
  /** Something could not be published; the others have to forget everything. */
  private owed = false;

  constructor(
    private readonly machine: Bus,
    url: string,
    private readonly log: Log,
  ) {
    super();
    this.mouth = openBusConnection(url);
    this.mouth.on('ready', () => void this.payDebt());
    this.ear = new RedisEar(url, TOPIC, log, {
      heard: (text) => this.take(text),
      back: () => this.tellOfGap(),
    });
  }

  override get isWhole(): boolean {
    return this.ear.isListening;
  }

  override get spansMachines(): boolean {
    return true;
  }

  override subscribe(channel: BusChannel, listener: BusListener): void {
    super.subscribe(channel, listener);
    this.machine.subscribe(channel, listener);
  }

  async publish(channel: BusChannel, message: unknown): Promise<void> {
    await Promise.all([
      this.machine.publish(channel, message),
      this.send({ from: this.self, channel, message }),
    ]);
  }

  onApplicationShutdown(): void {
    this.ear.close();
    this.mouth.disconnect();
  }

  private async send(parcel: Parcel): Promise<void> {
    try {
      await this.mouth.publish(TOPIC, JSON.stringify(parcel));
    } catch (error) {
      if (!this.owed) this.log.warn('Redis did not take a change', { err: error });
      this.owed = true;
    }
  }

  private async payDebt(): Promise<void> {
    if (!this.owed) return;
    this.owed = false;
    await this.send({ from: this.self, gap: true });
  }

  private take(text: string): void {
    const parcel = read(text);
    if (parcel === null || parcel.from === this.self) return;
    if ('gap' in parcel) this.tellOfGap();
    else this.deliver(parcel);
  }
}

function read(text: string): Parcel | null {
  try {
    return JSON.parse(text) as Parcel | null;
  } catch {
    return null;
  }
}
