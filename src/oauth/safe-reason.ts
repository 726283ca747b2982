const DEPTH = 3;

/**
 * What may be logged of a library's error: its message, the names and codes of what caused it.
 * The rest of such an error holds the provider's whole answer, tokens and all.
 */
export function safeReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const causes: string[] = [];
  let cause = error.cause;
  while (cause instanceof Error && causes.length < DEPTH) {
    causes.push(kindOf(cause));
    cause = cause.cause;
  }
  return [`${kindOf(error)}: ${error.message.slice(0, 200)}`, ...causes].join(' < ');
}

function kindOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string'
    ? `${error.name} ${error.code}`
    : error.name;
}
