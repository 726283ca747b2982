import { MAX_HOST_NAME } from '../common/host';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsNotEmpty,
  IsOptional,
  IsString,
  MaxLength,
  registerDecorator,
  ValidateIf,
} from 'class-validator';
import {
  CheckedNames,
  IsFlag,
  PageField,
  PageSizeField,
  SoundText,
} from '../common/http/validators';
import { textProblem } from '../common/plain-text';
import type { AppLinks, DomainChange } from '../stores/domains/domain';

const MAX_URL = 2048;
const MAX_ROBOTS = 4096;
const MAX_APP_LINKS_BYTES = 16 * 1024;

@CheckedNames()
export class CreateDomainDto {
  @MaxLength(MAX_HOST_NAME)
  @IsNotEmpty()
  @IsString()
  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_HOST_NAME,
    description:
      "The host name without scheme, port and path, with at least two labels; not this service's host or a subdomain of it. Non-ASCII letters are converted",
    example: 'links.example.com',
  })
  fqdn!: string;
}

function DomainTextField(max: number, description: string): PropertyDecorator {
  return applyDecorators(
    MaxLength(max),
    IsString(),
    IsOptional(),
    ApiPropertyOptional({ type: String, nullable: true, maxLength: max, description }),
  );
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fits = (value: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(value)) <= MAX_APP_LINKS_BYTES;

function isAppLinks(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { apple = null, android = null, ...others } = value as Record<string, unknown>;
  return (
    Object.keys(others).length === 0 &&
    (apple === null || (isObject(apple) && fits(apple))) &&
    (android === null || (Array.isArray(android) && fits(android)))
  );
}

function IsAppLinks(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isAppLinks',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: isAppLinks,
        defaultMessage: () =>
          'must be an object with apple (an object) and android (a list), each of at most 16 KiB',
      },
    });
  };
}

export class AppLinksDto {
  @ApiPropertyOptional({ type: Object, nullable: true, additionalProperties: true })
  apple!: object | null;

  @ApiPropertyOptional({ type: 'array', items: {}, nullable: true }) android!: unknown[] | null;
}

/** Absent settings stay unchanged; null removes a setting. */
@CheckedNames()
export class UpdateDomainDto {
  @DomainTextField(MAX_URL, 'Where `/` on the domain redirects to') root_redirect?: string | null;

  @DomainTextField(MAX_URL, 'Where unknown codes and paths redirect to')
  not_found_redirect?: string | null;

  @SoundText((text) =>
    text.trim() === '' ? null : textProblem(text, { max: MAX_ROBOTS, lines: true }),
  )
  @DomainTextField(MAX_ROBOTS, "Content of the domain's robots.txt")
  custom_robots_txt?: string | null;

  @IsBoolean()
  @IsOptional()
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description:
      'Whether new links get this domain by default; `true` replaces the current default domain',
  })
  is_default?: boolean | null;

  @IsBoolean()
  @ValidateIf((_, value) => value !== undefined)
  @ApiPropertyOptional({
    type: Boolean,
    description:
      '`false`, without other fields, stops sharing the domain with all accounts, in any status. Only admins can share it',
  })
  shared?: boolean;

  @IsAppLinks()
  @IsOptional()
  // Reads the raw JSON, which class-transformer would change.
  @Transform(({ obj }: { obj: Record<string, unknown> }) => obj.app_links)
  @ApiPropertyOptional({
    type: AppLinksDto,
    nullable: true,
    description: "Association files that let apps open the domain's links, up to 16 KiB each",
  })
  app_links?: AppLinksDto | null;
}

export class ListDomainsDto {
  @PageField() page: number = 1;
  @PageSizeField(20) pageSize: number = 20;
}

export class RemoveDomainDto {
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: "Whether to delete the domain's links, up to 1000, with their clicks",
  })
  @IsFlag()
  @IsBoolean()
  cascade: boolean = false;
}

export function toDomainChange(body: UpdateDomainDto): DomainChange {
  return {
    rootRedirect: body.root_redirect,
    notFoundRedirect: body.not_found_redirect,
    robots: body.custom_robots_txt,
    appLinks: toAppLinks(body.app_links),
    isDefault: body.is_default ?? undefined,
    isShared: body.shared,
  };
}

function toAppLinks(given: AppLinksDto | null | undefined): AppLinks | null | undefined {
  if (given === undefined || given === null) return given;
  const toJsonText = (value: unknown) => (value ? JSON.stringify(value) : null);
  return { apple: toJsonText(given.apple), android: toJsonText(given.android) };
}
