export const AUDIT_ACTS = [
  'url.block',
  'url.unblock',
  'url.delete',
  'account.suspend',
  'account.unsuspend',
  'account.role',
  'account.delete',
  'account.end_sessions',
  'account.password_reset',
  'account.sign_in_link',
  'account.second_factor',
  'report.block',
  'report.dismiss',
  'list.apply',
  'job.cancel',
  'host.block',
  'host.unblock',
  'domain.share',
  'domain.unshare',
] as const;
export type AuditAct = (typeof AUDIT_ACTS)[number];

/** Origin of an action: app or API, command, blocklist, ADMIN_EMAILS at startup, or set-up link. */
export const AUDIT_DOORS = ['app', 'cli', 'list', 'start', 'setup'] as const;
export type AuditDoor = (typeof AUDIT_DOORS)[number];

/** `id` is an account's id; null unless `via` is `app`. */
export interface AuditActor {
  readonly id: string | null;
  readonly via: AuditDoor;
}

export const AUDIT_SUBJECTS = [
  'url',
  'account',
  'report',
  'list',
  'job',
  'host',
  'domain',
] as const;

export interface AuditSubject {
  readonly kind: (typeof AUDIT_SUBJECTS)[number];
  readonly id: string;
  readonly alias?: string;
}

/** An action to record (docs/contract.md#24.7). Must not contain email addresses. */
export interface NewAuditEntry {
  /** Set by callers that may retry, such as job steps, so that a second insert is ignored. */
  readonly id?: string;
  readonly actor: AuditActor;
  readonly act: AuditAct;
  readonly subject: AuditSubject;
  readonly reason?: string | null;
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditEntry extends Required<NewAuditEntry> {
  readonly at: Date;
}
