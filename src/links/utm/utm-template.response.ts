import { ApiProperty } from '@nestjs/swagger';
import { ID_PROPERTY, UNIX } from '../../common/openapi/properties';
import { unixSeconds } from '../../common/time';
import type { UtmTemplate } from './utm-template';

const VALUE = { type: String, nullable: true } as const;

export class UtmTemplateResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ example: 'Spring newsletter' }) name!: string;
  @ApiProperty({ ...VALUE, example: 'newsletter' }) source!: string | null;
  @ApiProperty({ ...VALUE, example: 'email' }) medium!: string | null;
  @ApiProperty({ ...VALUE, example: 'spring sale' }) campaign!: string | null;
  @ApiProperty(VALUE) term!: string | null;
  @ApiProperty(VALUE) content!: string | null;
  @ApiProperty(UNIX) created_at!: number;
}

export class UtmTemplateListResponse {
  @ApiProperty({ type: [UtmTemplateResponse] }) templates!: UtmTemplateResponse[];
}

export class UtmTemplateRemovalResponse {
  @ApiProperty({ example: 'UTM template deleted' }) message!: string;
  @ApiProperty(ID_PROPERTY) id!: string;
}

export function toUtmTemplateResponse({
  createdAt,
  ...template
}: UtmTemplate): UtmTemplateResponse {
  return { ...template, created_at: unixSeconds(createdAt) };
}
