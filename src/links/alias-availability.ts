import { ApiProperty } from '@nestjs/swagger';
import type { AliasObjection } from './alias';

/** Answer of GET /api/v1/shorten/check-alias (docs/contract.md#5.5). */
export class AliasAvailabilityResponse {
  @ApiProperty() available!: boolean;

  @ApiProperty({ type: String, nullable: true, enum: ['length', 'format', 'reserved', 'taken'] })
  reason!: AliasObjection | 'taken' | null;
}
