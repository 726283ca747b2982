import { ApiProperty } from '@nestjs/swagger';
import type { Totals } from './metric.repository';

const SUFFIXES = ['', 'K', 'M', 'B', 'T', 'P'];

/** Answer of GET /metric (contract 13.5). */
export class MetricResponse {
  @ApiProperty({ type: 'integer' }) 'total-shortlinks-raw'!: number;
  @ApiProperty({ type: 'integer' }) 'total-clicks-raw'!: number;
  @ApiProperty({ example: '999+' }) 'total-shortlinks'!: string;
  @ApiProperty({ example: '1K+' }) 'total-clicks'!: string;
}

export function toMetricResponse({ links, clicks }: Totals): MetricResponse {
  return {
    'total-shortlinks-raw': links,
    'total-clicks-raw': clicks,
    'total-shortlinks': shortened(links),
    'total-clicks': shortened(clicks),
  };
}

/** `999+`, `1K+`, `12M+`: divided by 1000 while that leaves 1 or more, then cut to an integer. */
export function shortened(count: number): string {
  let [value, step] = [count, 0];
  while (value >= 1000 && step < SUFFIXES.length - 1) {
    value /= 1000;
    step++;
  }
  return `${Math.trunc(value)}${SUFFIXES[step] ?? ''}+`;
}
