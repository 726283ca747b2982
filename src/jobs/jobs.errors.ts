import { conflict, notFound } from '../common/errors';

/** 404: the job is unknown, or belongs to another account or to the service. */
export class UnknownJobError extends notFound('Job not found') {}

/** 409: the job must not be left unfinished. */
export class NotCancellableError extends conflict('This job cannot be cancelled') {}
