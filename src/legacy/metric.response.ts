import { ApiProperty } from '@nestjs/swagger';
import { COUNT } from '../common/openapi/properties';
import type { LinkSums } from '../stores/links/link-total-reads.repository';

export class MetricResponse {
  @ApiProperty(COUNT) 'total-shortlinks-raw'!: number;
  @ApiProperty(COUNT) 'total-clicks-raw'!: number;
  @ApiProperty({ example: '999+' }) 'total-shortlinks'!: string;
  @ApiProperty({ example: '1K+' }) 'total-clicks'!: string;
}

const SUFFIXES = ['', 'K', 'M', 'B', 'T', 'P'];

export function toMetricResponse({ links, clicks }: LinkSums): MetricResponse {
  return {
    'total-shortlinks-raw': links,
    'total-clicks-raw': clicks,
    'total-shortlinks': abbreviateCount(links),
    'total-clicks': abbreviateCount(clicks),
  };
}

/** `999+`, `1K+`, `12M+`. Divides by 1000 while the result is at least 1, then truncates. */
export function abbreviateCount(count: number): string {
  let [value, step] = [count, 0];
  while (value >= 1000 && step < SUFFIXES.length - 1) {
    value /= 1000;
    step++;
  }
  return `${Math.trunc(value)}${SUFFIXES[step] ?? ''}+`;
}
