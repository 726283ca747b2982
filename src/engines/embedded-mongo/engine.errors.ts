/** The message of an error, or what was thrown instead of one. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The embedded database cannot run here; the message says why and what to do instead. */
export class EngineUnavailableError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(
      `The embedded MongoDB cannot be used: ${reason}. ` +
        'Set MONGODB_URI to a MongoDB of your own, or start everything with `docker compose up`.',
      { cause },
    );
    this.name = 'EngineUnavailableError';
  }
}
