import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { COUNT } from './properties';

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
