import { Injectable } from '@nestjs/common';
import type { Source } from '../../engines/click-engine/query/statistics-query';
import { AccountCounts } from '../../stores/imported-counts/account-counts';
import { CountsSum } from '../../stores/imported-counts/counts-sum';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import type { Period } from '../query/period';
import { type ImportedResponse, toImportedResponse } from './imported.response';

/**
 * Imported counts. The service shows them in addition to recorded clicks (docs/contract.md#22.4).
 */
@Injectable()
export class ImportedClicksService {
  constructor(
    private readonly accounts: AccountCounts,
    private readonly counts: ImportedCountsRepository,
  ) {}

  /** Returns undefined if no link has imported counts. @param rows number of values per list */
  async find(
    source: Source,
    period: Pick<Period, 'start' | 'end'>,
    rows: number,
  ): Promise<ImportedResponse | undefined> {
    const sum = await this.sumImported(source);
    return sum === null ? undefined : toImportedResponse(sum.within(period, rows));
  }

  private async sumImported(source: Source): Promise<CountsSum | null> {
    if ('ownerId' in source) return this.accounts.findSum(source.ownerId);
    const sum = new CountsSum();
    const ids = source.links.map(({ id }) => id);
    await this.counts.addLinks(sum, ids);
    return sum.isEmpty ? null : sum;
  }
}
