/** The backup is incomplete or damaged; the message gives the reason in one line. */
export class BrokenBackupError extends Error {}

/** The target path already exists, and a backup must not replace it. */
export class TargetTakenError extends Error {}

/** The arguments are invalid; the usage is printed after the message. */
export class UsageError extends Error {}

/** The databases' contents do not allow a copy. */
export class CopyRefusedError extends Error {}

/** The databases differ after the copy, because a process has written to one of them. */
export class CopyDiffersError extends Error {}
