import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageField, PageSizeField } from '../../../common/http/validators';
import {
  JOB_KIND_NAMES,
  JOB_STATES,
  type JobKindName,
  type JobState,
} from '../../../infrastructure/jobs/job';

const MAX_OWNER = 500;

export class ListJobsDto {
  @ApiPropertyOptional({ description: 'Only jobs in this state', enum: JOB_STATES })
  @IsIn(JOB_STATES)
  @IsOptional()
  state?: JobState;

  @ApiPropertyOptional({ description: 'Only jobs of this kind', enum: JOB_KIND_NAMES })
  @IsIn(JOB_KIND_NAMES)
  @IsOptional()
  kind?: JobKindName;

  @ApiPropertyOptional({ maxLength: MAX_OWNER, description: "An account's ID or email address" })
  @MaxLength(MAX_OWNER)
  @IsString()
  @IsOptional()
  owner?: string;

  @PageField() page: number = 1;
  @PageSizeField(25) pageSize: number = 25;
}
