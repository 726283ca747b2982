import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';

/** Query of GET /api/v1/overview (docs/contract.md#18.3). */
export class OverviewDto {
  @ApiPropertyOptional({
    maxLength: 50,
    default: 'UTC',
    description: 'IANA name of the zone whose days are counted',
  })
  @IsOptional()
  @MaxLength(50)
  @IsString()
  timezone?: string;
}
