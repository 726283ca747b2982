import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { type Audience, AUDIENCES } from '../../engines/click-engine/query/statistics-query';

export class OverviewDto {
  @ApiPropertyOptional({
    maxLength: 50,
    default: 'UTC',
    description: 'IANA name of the time zone that defines the days',
  })
  @IsOptional()
  @MaxLength(50)
  @IsString()
  timezone?: string;

  @ApiPropertyOptional({
    enum: AUDIENCES,
    default: 'all',
    description:
      'Whose clicks to count. `preview`: link previews and prefetches; `bot`: known bots; `human`: all other visitors',
  })
  @IsOptional()
  @IsIn(AUDIENCES)
  audience?: Audience;
}
