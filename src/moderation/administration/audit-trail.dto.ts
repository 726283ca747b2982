import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { AUDIT_ACTS, type AuditAct } from '../../audit-trail/audit-entry';
import { MAX_HOST_NAME } from '../../common/host';
import { PageField, PageSizeField } from '../../common/http/validators';
import { ID_PROPERTY } from '../../common/openapi/properties';

export class ListTrailDto {
  @ApiPropertyOptional({ enum: AUDIT_ACTS, description: 'Only entries with this action' })
  @IsIn(AUDIT_ACTS)
  @IsOptional()
  act?: AuditAct;

  @ApiPropertyOptional({
    ...ID_PROPERTY,
    description: 'Only entries for actions taken by this account',
  })
  @IsString()
  @IsOptional()
  actor?: string;

  @ApiPropertyOptional({
    maxLength: MAX_HOST_NAME,
    description: 'Only entries about the link, account, report or job with this ID, or this host',
    example: ID_PROPERTY.example,
  })
  @MaxLength(MAX_HOST_NAME)
  @IsString()
  @IsOptional()
  subject?: string;

  @PageField() page: number = 1;
  @PageSizeField(25) pageSize: number = 25;
}
