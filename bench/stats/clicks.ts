import type { Click } from '../../src/clicks/store/click';
import type { Device } from '../../src/infrastructure/user-agent/user-agent';

export const DAYS = 30;
export const VISITORS = 200_000;
const DAY_MS = 86_400_000;
const DEVICES: readonly Device[] = ['mobile', 'desktop', 'tablet', 'unknown'];

/** Reproducible numbers in [0, 1) (xorshift32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** What of a click follows from its visitor: address and User-Agent say it. */
export interface Visitor {
  hash: string;
  browser: string;
  os: string;
  device: Device;
  place: number;
}

/**
 * Clicks of 30 days in the order of their time: 200,000 visitors, 30 browsers, 12 systems,
 * 150 countries, 5,000 cities, 2,000 referrers; a third of them tagged by a campaign.
 */
export class ClickSource {
  private readonly random = randomNumbers(20_261_121);
  private readonly visitors: Visitor[];

  constructor(
    readonly start: number,
    readonly clicks: number,
    visitors = VISITORS,
  ) {
    this.visitors = Array.from({ length: visitors }, (_, i) => this.visitor(i));
  }

  get end(): number {
    return this.start + DAYS * DAY_MS;
  }

  /** The n-th click; to be asked in ascending order, once. */
  next(n: number): Click {
    const visitor = this.visitors[this.upTo(this.visitors.length)];
    if (visitor === undefined) throw new RangeError('No visitors');
    const tagged = this.random() < 1 / 3;
    const country = visitor.place % 150;
    return {
      at: this.start + Math.floor((n * DAYS * DAY_MS) / this.clicks) + this.upTo(1000),
      visitor: visitor.hash,
      browser: visitor.browser,
      os: visitor.os,
      device: visitor.device,
      country: `Country ${country}`,
      countryCode: String.fromCharCode(65 + Math.floor(country / 26), 65 + (country % 26)),
      city: `City ${visitor.place}`,
      referrer: this.random() < 0.3 ? null : `https://site${this.upTo(2000)}.example`,
      utmSource: tagged ? `source${this.upTo(12)}` : null,
      utmMedium: tagged ? `medium${this.upTo(5)}` : null,
      utmCampaign: tagged ? `campaign${this.upTo(40)}` : null,
      botName: null,
      redirectMs: this.upTo(4),
      slot: false,
    };
  }

  private visitor(i: number): Visitor {
    const words = [this.random(), this.random()].map((share) => Math.floor(share * 2 ** 32));
    const hash = [...words, i].map((word) => word.toString(16).padStart(8, '0')).join('');
    return {
      hash,
      browser: `Browser ${this.upTo(30)}`,
      os: `System ${this.upTo(12)}`,
      device: DEVICES[this.upTo(4)] ?? 'unknown',
      place: this.upTo(5000),
    };
  }

  private upTo(count: number): number {
    return Math.floor(this.random() * count);
  }
}
