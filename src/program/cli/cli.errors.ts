/** Not a reliable backup; the message gives the reason in one line. */
export class BrokenBackupError extends Error {}

/** The path exists; a backup must not replace it. */
export class TargetTakenError extends Error {}

/** Invalid arguments; the usage follows the message. */
export class UsageError extends Error {}

/** The databases' contents do not allow a copy. */
export class CopyRefusedError extends Error {}

/** The databases differ after the copy: a process wrote to one of them meanwhile. */
export class CopyDiffersError extends Error {}
