interface HeaderDescription {
  description: string;
  required?: boolean;
  schema: Record<string, unknown>;
}

const COUNTING = { type: 'string', pattern: '^[0-9]+$' };

export const ANSWER_HEADERS = {
  'X-Request-ID': {
    description: 'Names the answer in logs; new for each one',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-f]{12}$' },
  },
  'X-Error-Code': {
    description: 'The code of the error, whatever form the body has',
    required: true,
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the shortest window of the route allows',
    schema: COUNTING,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that are left in it',
    schema: COUNTING,
  },
  'X-RateLimit-Reset': {
    description: 'When it ends, in Unix seconds',
    schema: COUNTING,
  },
  'Retry-After': {
    description: 'Seconds until requests are counted afresh',
    required: true,
    schema: COUNTING,
  },
  'Accept-Encoding': {
    description: 'Codings in which a body may come',
    required: true,
    schema: { type: 'string' },
  },
  'X-Svc-Hint': {
    description: 'The hint of the body, for callers without a credential',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'The answer was stored when the request with this Idempotency-Key was carried out',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: {
    description: 'Where the browser is sent',
    required: true,
    schema: { type: 'string' },
  },
  'Content-Disposition': {
    description: '`attachment` with the name of the file',
    required: true,
    schema: { type: 'string', pattern: '^attachment; filename=".+"' },
  },
  'Set-Cookie': {
    description: 'The cookies `access_token` and `refresh_token`, set or, with Max-Age=0, removed',
    required: true,
    schema: { type: 'string' },
  },
} as const satisfies Record<string, HeaderDescription>;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

export function answerHeaders(...names: AnswerHeader[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies readonly AnswerHeader[];
