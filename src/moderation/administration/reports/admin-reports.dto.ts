import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PageField, PageSizeField } from '../../../common/http/validators';
import { REPORT_STATES } from '../../reports/report';

const ASKED_STATES = [...REPORT_STATES, 'all'] as const;

export class ListReportsDto {
  @ApiPropertyOptional({ enum: ASKED_STATES, default: 'open' })
  @IsIn(ASKED_STATES)
  state: (typeof ASKED_STATES)[number] = 'open';

  @PageField() page: number = 1;
  @PageSizeField(25) pageSize: number = 25;
}
