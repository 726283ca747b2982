import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';

/** Query of public statistics, and what the statistics of a link share with it (contract 9.1). */
export class PeriodDto {
  @ApiPropertyOptional({
    maxLength: 50,
    description: 'Unix seconds or ISO 8601, default 7 days before the end',
  })
  @IsOptional()
  @MaxLength(50)
  @IsString()
  start_date?: string;

  @ApiPropertyOptional({ maxLength: 50, description: 'Unix seconds or ISO 8601, default now' })
  @IsOptional()
  @MaxLength(50)
  @IsString()
  end_date?: string;

  @ApiPropertyOptional({ maxLength: 50, default: 'UTC', description: 'IANA name' })
  @IsOptional()
  @MaxLength(50)
  @IsString()
  timezone?: string;
}
