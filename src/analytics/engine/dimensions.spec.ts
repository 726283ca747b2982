import 'reflect-metadata';
import { validateSync } from 'class-validator';
import {
  ACCOUNT_DIMENSIONS,
  ACCOUNT_FILTERS,
  ACCOUNT_PARAMETERS,
  LINK_DIMENSIONS,
  LINK_FILTERS,
  PUBLIC_DIMENSIONS,
} from './dimensions';
import { STORED_DIMENSIONS } from '../../engines/click-engine/query/statistics-query';
import { AccountExportDto, AccountStatisticsDto, LinkStatisticsDto } from '../query/statistics.dto';

/** Metadata key under which @nestjs/swagger stores the properties of a class. */
const SWAGGER_PROPERTIES = 'swagger/apiModelPropertiesArray';
const filtered =
  'browser os device country city referrer utm_source utm_medium utm_campaign variant trigger';
const problems = (dto: object, values: object): string[] =>
  validateSync(Object.assign(dto, values)).map(({ property }) => property);

function described(dto: { prototype: object }): string[] {
  const names = Reflect.getMetadata(SWAGGER_PROPERTIES, dto.prototype) as string[];
  return names.map((name) => name.slice(1));
}

describe('the table of dimensions', () => {
  it('accepts the dimensions that docs/contract.md#9.1 and 9.4 list', () => {
    expect(ACCOUNT_DIMENSIONS.join(' ')).toBe(`time ${filtered} audience short_code tag`);
    expect(ACCOUNT_PARAMETERS.join(' ')).toBe(`${filtered} tag url_id`);
    expect(ACCOUNT_FILTERS.join(' ')).toBe(`${filtered} tag url_id short_code`);
    expect(LINK_DIMENSIONS.join(' ')).toBe(`time ${filtered} audience`);
    expect(LINK_FILTERS.join(' ')).toBe(filtered);
    expect(PUBLIC_DIMENSIONS.join(' ')).toBe('time browser os device country city referrer');
    expect(STORED_DIMENSIONS.join(' ')).toBe(`${filtered} audience bot`);
  });

  it('describes a parameter for each filter', () => {
    expect(described(AccountStatisticsDto)).toEqual(
      expect.arrayContaining([...ACCOUNT_PARAMETERS]),
    );
    expect(described(AccountExportDto)).toEqual(expect.arrayContaining([...ACCOUNT_PARAMETERS]));
    expect(described(LinkStatisticsDto)).toEqual(expect.arrayContaining([...LINK_FILTERS]));
  });

  it('limits the length of link parameters, but not of account parameters', () => {
    const longest = { browser: 500, city: 1000, referrer: 2000, utm_medium: 1000, variant: 1000 };
    for (const [name, length] of Object.entries(longest)) {
      expect(problems(new LinkStatisticsDto(), { [name]: 'x'.repeat(length) })).toEqual([]);
      expect(problems(new LinkStatisticsDto(), { [name]: 'x'.repeat(length + 1) })).toEqual([name]);
    }
    const long = { scope: 'all', browser: 'x'.repeat(9000) };
    expect(problems(new AccountStatisticsDto(), long)).toEqual([]);
  });

  it('rejects filter values that the dimension cannot have', () => {
    for (const [name, right] of [
      ['device', 'desktop,unknown'],
      ['trigger', 'qr,link'],
    ] as const) {
      const wrong = { [name]: `${right},fridge`, filters: `{"${name}":["fridge"]}` };
      const refused = ['filters', name].sort();
      expect(problems(new LinkStatisticsDto(), wrong).sort()).toEqual(refused);
      expect(problems(new LinkStatisticsDto(), { [name]: right })).toEqual([]);
      const ofAccount = problems(new AccountStatisticsDto(), { scope: 'all', ...wrong });
      expect(ofAccount.sort()).toEqual(refused);
    }
    const filters = '{"audience":["human"]}';
    expect(problems(new LinkStatisticsDto(), { filters })).toEqual(['filters']);
    expect(problems(new AccountStatisticsDto(), { scope: 'all', filters })).toEqual(['filters']);
  });
});
