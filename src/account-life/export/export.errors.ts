import { conflict, notFound } from '../../common/errors';

/** 404: the export is unknown, removed, or belongs to another account. */
export class UnknownExportError extends notFound('Export not found') {}

/** 409: the account may have only one unfinished export. */
export class UnfinishedExportError extends conflict(
  'This account has an unfinished export; wait until it has finished, or remove it',
) {}

/** 409: the export is unfinished, or has failed. */
export class ExportFileMissingError extends conflict('This export has no file') {}

/** Reason for a failed job. */
export class ExportDiskError extends conflict(
  'The service has too little free disk space for this export. Try again later',
) {}
