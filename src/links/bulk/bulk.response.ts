import { ApiProperty } from '@nestjs/swagger';
import { CurtailError, UnprocessableError } from '../../common/errors';
import { isDatabaseUnreachable } from '../../common/database-fault';
import { COUNT, ID_PROPERTY, SHORT_CODE } from '../../common/openapi/properties';
import { CreatedLinkResponse } from '../making/link.response';

export const ROW_ERRORS = [
  'not_found',
  'forbidden',
  'conflict',
  'validation_error',
  'internal',
  'not_attempted',
] as const;
export type RowError = (typeof ROW_ERRORS)[number];

export interface RowOutcome {
  readonly ok: boolean;
  readonly error_code: RowError | null;
  readonly error: string | null;
}

export interface LinkRow extends RowOutcome {
  readonly id: string;
  readonly alias: string | null;
  readonly field?: string | null;
}

class RowVerdict implements RowOutcome {
  @ApiProperty({ description: 'Whether the item succeeded' }) ok!: boolean;

  @ApiProperty({
    type: String,
    enum: ROW_ERRORS,
    nullable: true,
    description:
      "Why the item failed: `not_found` if the link is unknown or belongs to another account; `not_attempted` if the database became unreachable before the item's turn",
  })
  error_code!: RowError | null;

  @ApiProperty({ type: String, nullable: true }) error!: string | null;
}

export class BulkRowResponse extends RowVerdict implements LinkRow {
  @ApiProperty(ID_PROPERTY) id!: string;

  @ApiProperty({
    ...SHORT_CODE,
    nullable: true,
    description: "The link's alias; null if the link is not yours",
  })
  alias!: string | null;
}

const INDEX = {
  type: 'integer',
  minimum: 0,
  description: "The item's index in the request",
} as const;
const ROW_FIELD = {
  type: String,
  nullable: true,
  description: 'The field that was rejected',
} as const;

export class BulkUpdateRowResponse extends BulkRowResponse {
  @ApiProperty(INDEX) index!: number;
  @ApiProperty(ROW_FIELD) field!: string | null;
}

export class BulkCreateRowResponse extends RowVerdict {
  @ApiProperty({ ...ID_PROPERTY, nullable: true, description: 'Null if the item was rejected' })
  id!: string | null;

  @ApiProperty({
    ...SHORT_CODE,
    nullable: true,
    description: 'The alias; for a rejected item, the requested alias',
  })
  alias!: string | null;

  @ApiProperty(INDEX) index!: number;
  @ApiProperty(ROW_FIELD) field!: string | null;
  @ApiProperty({ type: CreatedLinkResponse, nullable: true }) url!: CreatedLinkResponse | null;
}

class BulkSummary {
  @ApiProperty(COUNT) total!: number;
  @ApiProperty(COUNT) succeeded!: number;
  @ApiProperty(COUNT) failed!: number;
}

export interface BulkAnswer<Row extends RowOutcome> {
  readonly summary: BulkSummary;
  readonly results: readonly Row[];
}

export class BulkResponse implements BulkAnswer<BulkRowResponse> {
  @ApiProperty({ type: BulkSummary }) summary!: BulkSummary;
  @ApiProperty({ type: [BulkRowResponse] }) results!: readonly BulkRowResponse[];
}

export class BulkUpdateResponse implements BulkAnswer<BulkUpdateRowResponse> {
  @ApiProperty({ type: BulkSummary }) summary!: BulkSummary;
  @ApiProperty({ type: [BulkUpdateRowResponse] }) results!: readonly BulkUpdateRowResponse[];
}

export class BulkCreateResponse implements BulkAnswer<BulkCreateRowResponse> {
  @ApiProperty({ type: BulkSummary }) summary!: BulkSummary;
  @ApiProperty({ type: [BulkCreateRowResponse] }) results!: readonly BulkCreateRowResponse[];
}

export function bulkAnswer<Row extends RowOutcome>(results: readonly Row[]): BulkAnswer<Row> {
  const total = results.length;
  const succeeded = results.filter(({ ok }) => ok).length;
  return { summary: { total, succeeded, failed: total - succeeded }, results };
}

export const DONE: RowOutcome = { ok: true, error_code: null, error: null };

/** Whether a retry may succeed. If so, the response is not final (docs/contract.md#20.3). */
export function isUnfinishedRow({ error_code }: RowOutcome): boolean {
  return error_code === 'internal' || error_code === 'not_attempted';
}

export function toVerdict(error: unknown): RowOutcome {
  const refused = { ok: false } as const;
  if (isUnreachable(error)) {
    const text = 'The database is unreachable; try again shortly';
    return { ...refused, error_code: 'not_attempted', error: text };
  }
  if (error instanceof CurtailError && error.status < 500) {
    return { ...refused, error_code: toRowError(error.status), error: error.message };
  }
  return { ...refused, error_code: 'internal', error: 'Something went wrong; try again' };
}

export function errorField(error: unknown): string | null {
  if (error instanceof UnprocessableError) return error.problems[0]?.field ?? null;
  return error instanceof CurtailError ? (error.field ?? null) : null;
}

/** Whether the error will also occur for all following rows. */
export function isUnreachable(error: unknown): boolean {
  return (error instanceof CurtailError && error.status === 503) || isDatabaseUnreachable(error);
}

function toRowError(status: number): RowError {
  if (status === 404) return 'not_found';
  if (status === 403) return 'forbidden';
  return status === 409 ? 'conflict' : 'validation_error';
}

/** Omits `field`, which is the same in all rows of these routes (docs/contract.md#20.1). */
export function withoutFields({ results }: BulkAnswer<LinkRow>): BulkAnswer<LinkRow> {
  const rows = results.map(({ id, alias, ok, error_code, error }) => {
    return { id, alias, ok, error_code, error };
  });
  return bulkAnswer(rows);
}
