import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { CheckedNames, IsNumberOrText, RightlyNamed } from '../../common/http/validators';
import { UpdateLinkDto } from '../../links/making/link.dto';

const MAX_LENGTH = 2048;

function VisitTextField(described: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(
    MaxLength(MAX_LENGTH),
    IsString(),
    IsOptional(),
    ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_LENGTH, ...described }),
  );
}

const DRAFT_FIELDS = [
  'long_url',
  'rules',
  'geo_rules',
  'ab_variants',
  'forward_query',
  'starts_at',
  'pre_start_url',
  'expire_after',
  'expired_redirect_url',
  'max_clicks',
  'status',
] as const;

export class DraftDto extends PickType(UpdateLinkDto, DRAFT_FIELDS) {}

/** Absent fields mean unknown (docs/contract.md#26.7). */
@CheckedNames()
export class ResolveDto {
  @VisitTextField({ description: "The visitor's User-Agent" }) user_agent?: string | null;
  @VisitTextField({ description: 'ISO 3166-1 alpha-2', example: 'DE' }) country?: string | null;

  @VisitTextField({ description: "The visitor's Accept-Language", example: 'pt-BR, en;q=0.8' })
  language?: string | null;

  @VisitTextField({ description: "The short URL's query, without `?`", example: 'source=app' })
  query?: string | null;

  @IsNumberOrText()
  @IsOptional()
  @ApiPropertyOptional({
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    nullable: true,
    description: 'Time of the visit, in Unix seconds or ISO 8601. Default: now',
  })
  at?: number | string | null;

  @VisitTextField({
    description: 'Any text that identifies the visitor; determines the variant',
    example: 'somebody',
  })
  visitor?: string | null;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => DraftDto)
  @RightlyNamed(...DRAFT_FIELDS)
  @ApiPropertyOptional({
    type: DraftDto,
    nullable: true,
    description: 'Unsaved changes to test, as in PATCH /api/v1/urls/{url_id}. Nothing is stored',
  })
  draft?: DraftDto | null;
}
