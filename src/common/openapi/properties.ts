import { applyDecorators, type Type } from '@nestjs/common';
import { ApiParam, ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

// Properties shared by responses and parameters of the API.

/** Ids (docs/contract.md#1). Has an explicit `type`, because some ids are `string | null`. */
export const ID_PROPERTY = {
  type: String,
  pattern: '^[0-9a-f]{24}$',
  example: '665f1c0e8b3a4d0012ab34cd',
} satisfies ApiPropertyOptions;

export const UNIX = {
  type: 'integer',
  description: 'Unix seconds',
  example: 1_790_000_000,
} satisfies ApiPropertyOptions;

/** Forms of a time in requests (docs/contract.md#1). */
export const TIME_INPUT =
  'Unix seconds, or ISO 8601 with `Z`, an offset or no zone (UTC), or a date alone';
export const FUTURE_TIME = `${TIME_INPUT}, in the future and at most in the year 9999`;

export const ISO_PROPERTY = {
  type: String,
  format: 'date-time',
  description: 'RFC 3339, UTC',
  example: '2026-09-21T14:13:20.000Z',
} satisfies ApiPropertyOptions;

export const COUNT = { type: 'integer', minimum: 0, example: 12 } satisfies ApiPropertyOptions;

export const SHORT_CODE = { type: String, example: 'spring-sale' } satisfies ApiPropertyOptions;

export function CodeParam(): MethodDecorator & ClassDecorator {
  const description = "The link's short code: its alias, without the host";
  return applyDecorators(
    ApiParam({ name: 'code', description, schema: { type: 'string', example: 'spring-sale' } }),
  );
}

export const DOMAIN = {
  type: String,
  nullable: true,
  description: "The link's custom domain; null means this service's own host",
  example: 'links.example.com',
} as const;

/** A page of a list in a response (docs/contract.md#1). */
export interface ItemPage<Item> {
  items: Item[];
  page: number;
  pageSize: number;
  total: number;
  hasNext: boolean;
}

/** Returns a base class for responses with a page of items. */
export function itemPage<Item>(item: Type<Item>): Type<ItemPage<Item>> {
  class Page implements ItemPage<Item> {
    @ApiProperty({ type: [item] }) items!: Item[];
    @ApiProperty({ type: 'integer' }) page!: number;
    @ApiProperty({ type: 'integer' }) pageSize!: number;
    @ApiProperty(COUNT) total!: number;
    @ApiProperty() hasNext!: boolean;
  }
  return Page;
}

export function toPage<Item>(
  items: Item[],
  { page, pageSize }: Pick<ItemPage<Item>, 'page' | 'pageSize'>,
  total: number,
): ItemPage<Item> {
  return { items, page, pageSize, total, hasNext: page * pageSize < total };
}
