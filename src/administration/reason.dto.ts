import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';
import { Trimmed } from '../common/http/validators';
import { RequestValidationPipe } from '../common/http/validation.pipe';

export const MAX_REASON = 500;

const REASON = { minLength: 1, maxLength: MAX_REASON, example: 'Phishing' };

/** Body of acts that need a reason (docs/contract.md#24.2). */
export class ReasonDto {
  @ApiProperty({ ...REASON, description: 'For the trail and for whom the act concerns' })
  @Trimmed()
  @Length(1, MAX_REASON)
  @IsString()
  reason!: string;
}

/** Body of acts that may have one. */
export class OptionalReasonDto {
  @ApiPropertyOptional({ ...REASON, type: String, nullable: true, description: 'For the trail' })
  @Trimmed()
  @Length(1, MAX_REASON)
  @IsString()
  @IsOptional()
  reason?: string | null;
}

/**
 * The body of an act that needs none: one that is left out is an empty one.
 *
 * @example unblock(@Body(new OptionalBodyPipe(OptionalReasonDto)) body: unknown)
 */
@Injectable()
export class OptionalBodyPipe<T extends object> implements PipeTransform<unknown, Promise<T>> {
  private readonly shapes = new RequestValidationPipe();

  constructor(private readonly metatype: Type<T>) {}

  transform(body: unknown): Promise<T> {
    return this.shapes.transform(body ?? {}, {
      type: 'body',
      metatype: this.metatype,
    }) as Promise<T>;
  }
}
