import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import type { Link } from '../../stores/links/link';
import { CompatibleLinksService } from '../compatible-links.service';
import type { Call, LinkFields } from '../compatible-request';
import { readId, toChangedFields, toKuttLink, toNewFields } from './kutt-link';
import { KuttStatisticsService } from './kutt-statistics.service';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

@Injectable()
export class KuttService {
  constructor(
    private readonly links: CompatibleLinksService,
    private readonly counts: KuttStatisticsService,
  ) {}

  async create(fields: LinkFields, call: Call) {
    const { link, isReused } = await this.links.create(toNewFields(fields, Date.now()), call);
    return { link: toKuttLink(link), isReused };
  }

  async list({ query, caller }: Call): Promise<object> {
    const limit = Math.min(positive(query.limit) ?? DEFAULT_LIMIT, MAX_LIMIT);
    const page = { limit, skip: positive(query.skip) ?? 0 };
    const filter = query.search === '' ? {} : { search: query.search };
    const { links, total } = await this.links.list(caller, { ...page, filter });
    return { total, ...page, data: links.map(toKuttLink) };
  }

  async statistics(id: string, { caller, asker }: Call): Promise<object> {
    const link = await this.find(id, caller);
    const [shown, counted] = await Promise.all([
      this.links.toShown(link),
      this.counts.count(link, asker, Date.now()),
    ]);
    return { ...toKuttLink(shown), ...counted };
  }

  async update(id: string, fields: LinkFields, call: Call): Promise<object> {
    const link = await this.find(id, call.caller);
    return toKuttLink(await this.links.update(link, toChangedFields(fields, Date.now()), call));
  }

  async remove(id: string, { caller }: Call): Promise<object> {
    await this.links.remove(await this.find(id, caller), caller);
    return { message: 'Link has been deleted successfully.' };
  }

  private find(text: string, caller: Principal): Promise<Link> {
    const id = readId(text);
    return id === null ? this.links.findByAlias(text, caller) : this.links.findById(id, caller);
  }
}

/** Null unless the text is a positive number that fits a page. */
function positive(value: unknown): number | null {
  const number = typeof value === 'string' ? Math.floor(Number(value)) : NaN;
  return number >= 1 && Number.isSafeInteger(number) ? number : null;
}
