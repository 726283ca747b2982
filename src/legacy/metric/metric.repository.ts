import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { LinkRecord } from '../../links/link.schema';

/** How many links there are, and how many clicks they have. */
export interface Totals {
  readonly links: number;
  readonly clicks: number;
}

/** Adds up all links; reads each of them, so the service behind it remembers. */
@Injectable()
export class MetricRepository {
  constructor(@InjectModel(LinkRecord.name) private readonly links: Model<LinkRecord>) {}

  async totals(): Promise<Totals> {
    const [sums] = await this.links.aggregate<Totals>([
      { $group: { _id: null, links: { $sum: 1 }, clicks: { $sum: '$total_clicks' } } },
      { $project: { _id: 0, links: { $toDouble: '$links' }, clicks: { $toDouble: '$clicks' } } },
    ]);
    return sums ?? { links: 0, clicks: 0 };
  }
}
