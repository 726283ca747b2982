import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { EmailField, MAX_EMAIL_LENGTH, readNewEmail } from '../../accounts/account/account';
import type { Caller } from '../../auth/access';
import { CheckedNames } from '../../common/http/validators';
import type { Client } from '../../infrastructure/client-address/client-address';
import {
  REPORT_REASONS,
  REPORT_VECTORS,
  type ReportReason,
  type ReportSubmission,
  type ReportVector,
} from './report';
import { ItemCountError } from './reports.errors';

export const MAX_REPORTED_ADDRESS_LENGTH = 2048;
export const MAX_DETAILS_LENGTH = 2000;
const MAX_ORG_LENGTH = 200;
const MAX_REPORT_ITEMS = { anonymous: 25, account: 100 } as const;

/** Characters that {@link textProblem} rejects. In reports, spaces replace them. */
const REFUSED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const REFUSED_BUT_LINES = /(?![\t\n])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Trims, and replaces characters that could mislead readers. Empty text counts as absent. */
const TypedText = (refused: RegExp): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => {
    if (typeof value !== 'string') return value;
    const text = value.toWellFormed().replace(/\r\n?/g, '\n').replace(refused, ' ');
    return text.trim() || undefined;
  });

function OptionalText(maxLength: number, description: string, refused: RegExp): PropertyDecorator {
  return applyDecorators(
    MaxLength(maxLength),
    IsString(),
    IsOptional(),
    TypedText(refused),
    ApiPropertyOptional({ type: String, maxLength, nullable: true, description }),
  );
}

const DetailsField = () =>
  OptionalText(
    MAX_DETAILS_LENGTH,
    'What the link does, in words. Line breaks become `\\n`, and other control characters become spaces',
    REFUSED_BUT_LINES,
  );

function ReporterEmailField(): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    EmailField(readNewEmail),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? value.trim() || undefined : value,
    ),
    ApiPropertyOptional({
      type: String,
      format: 'email',
      maxLength: MAX_EMAIL_LENGTH,
      nullable: true,
      description: 'Lets the admins who review the report ask questions; not shown elsewhere',
    }),
  );
}

class ReportItemDto {
  @ApiProperty({
    maxLength: MAX_REPORTED_ADDRESS_LENGTH,
    example: 'spring-sale',
    description: 'A code, or a short URL with or without scheme, query and `+`',
  })
  @MaxLength(MAX_REPORTED_ADDRESS_LENGTH)
  @IsString()
  code_or_url!: string;

  @ApiProperty({ enum: REPORT_REASONS })
  @IsIn(REPORT_REASONS)
  reason!: ReportReason;

  @DetailsField() details?: string | null;

  @ApiPropertyOptional({
    enum: REPORT_VECTORS,
    nullable: true,
    description: 'How you received the link',
  })
  @IsOptional()
  @IsIn(REPORT_VECTORS)
  vector?: ReportVector | null;
}

@CheckedNames()
export class CreateReportsDto {
  @ApiProperty({
    type: [ReportItemDto],
    description: `1 to ${MAX_REPORT_ITEMS.account} items, or ${MAX_REPORT_ITEMS.anonymous} without a credential; any other number returns 400`,
  })
  @ValidateNested({ each: true })
  @IsObject({ each: true })
  @IsArray()
  @IsOptional()
  @Type(() => ReportItemDto)
  items?: ReportItemDto[] | null;

  @ReporterEmailField() reporter_email?: string | null;

  @OptionalText(
    MAX_ORG_LENGTH,
    "The reporter's organisation; control characters become spaces",
    REFUSED,
  )
  reporter_org?: string | null;
}

export class ReportFormDto {
  @MaxLength(MAX_REPORTED_ADDRESS_LENGTH)
  @IsNotEmpty()
  @IsString()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  url!: string;

  @IsIn(REPORT_REASONS) reason!: ReportReason;
  @DetailsField() details?: string | null;
  @ReporterEmailField() email?: string | null;
}

export function toSubmission(
  body: CreateReportsDto,
  caller: Caller,
  { key: clientKey }: Client,
): ReportSubmission {
  const items = body.items ?? [];
  const accountId = callerAccountId(caller);
  const max = accountId === null ? MAX_REPORT_ITEMS.anonymous : MAX_REPORT_ITEMS.account;
  if (items.length === 0 || items.length > max) throw new ItemCountError(max);
  return {
    items: items.map(({ code_or_url, reason, details = null, vector = null }) => ({
      address: code_or_url,
      reason,
      details,
      vector,
    })),
    reporter: {
      accountId,
      email: body.reporter_email ?? null,
      org: body.reporter_org ?? null,
    },
    clientKey,
  };
}

export function toSingleSubmission(
  { url, reason, details = null, email = null }: ReportFormDto,
  caller: Caller,
  { key: clientKey }: Client,
): ReportSubmission {
  return {
    items: [{ address: url, reason, details, vector: null }],
    reporter: { accountId: callerAccountId(caller), email, org: null },
    clientKey,
  };
}

function callerAccountId({ principal }: Caller): string | null {
  return principal?.userId ?? null;
}
