export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The embedded database cannot run on this system; the message says why and what to do. */
export class EngineUnavailableError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(
      `The embedded MongoDB cannot be used: ${reason}. ` +
        'Set MONGODB_URI to your own MongoDB, or start everything with `docker compose up`.',
      { cause },
    );
    this.name = 'EngineUnavailableError';
  }
}

export class FetchedElsewhereError extends Error {
  constructor() {
    super('another process has been downloading it for too long');
    this.name = 'FetchedElsewhereError';
  }
}
