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
  'account.second_factor',
  'report.block',
  'report.dismiss',
  'list.apply',
  'job.cancel',
] as const;
export type AuditAct = (typeof AUDIT_ACTS)[number];

/** How an act came about: in the app or its API, by a command, by a list of hosts, by ADMIN_EMAILS. */
export const AUDIT_DOORS = ['app', 'cli', 'list', 'start'] as const;
export type AuditDoor = (typeof AUDIT_DOORS)[number];

/** The origin of an act; an account's id with `app` alone. */
export interface AuditActor {
  readonly id: string | null;
  readonly via: AuditDoor;
}

export const AUDIT_SUBJECTS = ['url', 'account', 'report', 'list', 'job'] as const;

/** The object of an act. */
export interface AuditSubject {
  readonly kind: (typeof AUDIT_SUBJECTS)[number];
  readonly id: string;
  /** The alias of a link, since its id says nothing to people. */
  readonly alias?: string;
}

/** An act to be noted down (docs/contract.md#24.7); no address stands in it. */
export interface NewAuditEntry {
  /** Given by what may be done twice, such as a step of a job: it is one entry all the same. */
  readonly id?: string;
  readonly actor: AuditActor;
  readonly act: AuditAct;
  readonly subject: AuditSubject;
  readonly reason?: string | null;
  /** The act's own part of its subject, as it was and as it is. */
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditEntry extends Required<NewAuditEntry> {
  readonly at: Date;
}
