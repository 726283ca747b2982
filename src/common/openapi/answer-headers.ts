interface HeaderDescription {
  description: string;
  required?: boolean;
  schema: Record<string, unknown>;
}

const COUNTING = { type: 'string', pattern: '^[0-9]+$' };

export const ANSWER_HEADERS = {
  'X-Request-ID': {
    description: 'Identifies the response in logs; new for each response',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-f]{12}$' },
  },
  'X-Error-Code': {
    description: "The error's `code`, even if the body is a page",
    required: true,
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: "Requests allowed in the route's shortest window",
    schema: COUNTING,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this window',
    schema: COUNTING,
  },
  'X-RateLimit-Reset': {
    description: 'When the window ends, in Unix seconds',
    schema: COUNTING,
  },
  'Retry-After': {
    description: 'Seconds until the next request is allowed',
    required: true,
    schema: COUNTING,
  },
  'Accept-Encoding': {
    description: 'Supported encodings for request bodies',
    required: true,
    schema: { type: 'string' },
  },
  'X-Svc-Hint': {
    description: "The body's `hint`, for callers without a credential",
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'The response was stored for an earlier request with this Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: {
    description: "The redirect's target, or the created resource's URL",
    required: true,
    schema: { type: 'string' },
  },
  'Content-Disposition': {
    description: '`attachment` with the file name',
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
