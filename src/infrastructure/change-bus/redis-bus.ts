import { randomUUID } from 'node:crypto';
import { OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Logger } from '../../common/log';
import { ChangeBus, BusChannel, BusListener, BusMessage } from './bus';
import { openBusConnection, RedisSubscriber } from './redis-subscriber';

const TOPIC = 'curtail:bus';

/** `gap` means that earlier messages from this sender may have been lost. */
type BusEnvelope = { from: string } & (BusMessage | { gap: true });

/** Extends a local bus to other machines; after an outage, makes them clear their caches. */
export class RedisBus extends ChangeBus implements OnApplicationShutdown {
  private readonly self = randomUUID();
  private readonly publisher: Redis;
  private readonly subscriber: RedisSubscriber;
  /** Whether a message could not be published, so that other machines must clear their caches. */
  private owed = false;

  constructor(
    private readonly machine: ChangeBus,
    url: string,
    private readonly log: Logger,
  ) {
    super();
    this.publisher = openBusConnection(url);
    this.publisher.on('ready', () => void this.publishMissedRange());
    this.subscriber = new RedisSubscriber(url, TOPIC, log, {
      message: (text) => this.receive(text),
      listening: () => this.tellOfGap(),
    });
  }

  override get isWhole(): boolean {
    return this.subscriber.isListening;
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
    this.subscriber.close();
    this.publisher.disconnect();
  }

  private async send(envelope: BusEnvelope): Promise<void> {
    try {
      await this.publisher.publish(TOPIC, JSON.stringify(envelope));
    } catch (error) {
      if (!this.owed) this.log.warn('Could not publish a change through Redis', { err: error });
      this.owed = true;
    }
  }

  private async publishMissedRange(): Promise<void> {
    if (!this.owed) return;
    this.owed = false;
    await this.send({ from: this.self, gap: true });
  }

  private receive(text: string): void {
    const envelope = parseEnvelope(text);
    if (envelope === null || envelope.from === this.self) return;
    if ('gap' in envelope) this.tellOfGap();
    else this.deliver(envelope);
  }
}

function parseEnvelope(text: string): BusEnvelope | null {
  try {
    return JSON.parse(text) as BusEnvelope | null;
  } catch {
    return null;
  }
}
