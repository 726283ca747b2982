import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  AUDIT_ACTS,
  AUDIT_DOORS,
  AUDIT_SUBJECTS,
  type AuditEntry,
} from '../../audit-trail/audit-entry';
import { ID_PROPERTY, ISO_PROPERTY, itemPage } from '../../common/openapi/properties';

const EMAIL = {
  type: String,
  nullable: true,
  description: "The account's email address, as long as the account exists",
  example: 'ada@example.com',
} as const;
const PART = { type: Object, additionalProperties: true, nullable: true } as const;

class AuditActorResponse {
  @ApiProperty({ ...ID_PROPERTY, nullable: true }) id!: string | null;
  @ApiProperty({
    enum: AUDIT_DOORS,
    description: '`start`: applied from ADMIN_EMAILS at startup; `setup`: by a set-up link',
  })
  via!: string;
  @ApiPropertyOptional(EMAIL) email?: string | null;
}

class AuditSubjectResponse {
  @ApiProperty({ enum: AUDIT_SUBJECTS }) kind!: string;
  @ApiProperty({ example: ID_PROPERTY.example }) id!: string;
  @ApiPropertyOptional({ description: 'The alias of the link, or of the reported link' })
  alias?: string;
  @ApiPropertyOptional({
    ...EMAIL,
    description: "The account's email address, as long as the account exists",
  })
  email?: string | null;
}

export class AuditEntryResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty(ISO_PROPERTY) at!: string;
  @ApiProperty() actor!: AuditActorResponse;
  @ApiProperty({ enum: AUDIT_ACTS }) act!: string;
  @ApiProperty() subject!: AuditSubjectResponse;
  @ApiProperty({ type: String, nullable: true }) reason!: string | null;
  @ApiProperty({ ...PART, description: 'Changed fields, with their values before the action' })
  before!: object | null;
  @ApiProperty({
    ...PART,
    description: 'Changed fields, with their values after the action',
    example: { role: 'admin' },
  })
  after!: object | null;
}

export class AuditTrailPageResponse extends itemPage(AuditEntryResponse) {}

/** @param emails email addresses by account id; if omitted, entries contain no addresses */
export function toAuditEntryResponse(
  entry: AuditEntry,
  emails?: ReadonlyMap<string, string>,
): AuditEntryResponse {
  const { id, at, actor, act, subject, reason, before, after } = entry;
  const toEmail = (account: string | null) =>
    emails && { email: account === null ? null : (emails.get(account) ?? null) };
  return {
    id,
    at: at.toISOString(),
    actor: { ...actor, ...toEmail(actor.id) },
    act,
    subject: { ...subject, ...(subject.kind === 'account' && toEmail(subject.id)) },
    reason,
    before,
    after,
  };
}
