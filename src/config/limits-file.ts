import { z } from 'zod';

export interface LimitRule {
  readonly limit: number;
  readonly ms: number;
}

/** A change to a row in the limits table. An absent tier stays unchanged. */
export type LimitChange =
  | 'off'
  | { readonly authenticated?: readonly LimitRule[]; readonly anonymous?: readonly LimitRule[] };

const UNIT_MS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};
const LIMIT_FORM = '"off", or an object with "authenticated", "anonymous", or both';
const RULES = 'a list of rules such as "60/minute", "5/hour" or "5000/day"';

const limitRule = z
  .string({ error: `must be ${RULES}` })
  .regex(/^[1-9]\d{0,8}\/(?:minute|hour|day)$/, { error: `must be ${RULES}` })
  .transform((text): LimitRule => {
    const [limit = '', unit = ''] = text.split('/');
    return { limit: Number(limit), ms: UNIT_MS[unit] ?? 0 };
  });

/** Distinct windows, shortest first, because rate-limit headers describe the first. */
const tier = z
  .array(limitRule, { error: `must be ${RULES}` })
  .min(1, { error: 'needs a rule; to lift the limit, set the row to "off"' })
  .refine((rules) => new Set(rules.map(({ ms }) => ms)).size === rules.length, {
    error: 'has two rules for the same unit',
  })
  .transform((rules): readonly LimitRule[] => [...rules].sort((a, b) => a.ms - b.ms));

const row = z.union(
  [
    z.literal('off'),
    z.strictObject(
      { authenticated: tier.optional(), anonymous: tier.optional() },
      { error: `must be ${LIMIT_FORM}` },
    ),
  ],
  { error: `must be ${LIMIT_FORM}` },
);

const limitsFile = z.record(z.string(), row, { error: 'must be a JSON object' });

export type LimitChanges = ReadonlyMap<string, LimitChange>;

/** @throws Error with the fault and the allowed values */
export function parseLimits(text: string): LimitChanges {
  const result = limitsFile.safeParse(parseLimitsJson(text));
  if (result.success) return new Map(Object.entries(result.data));
  const [issue] = result.error.issues;
  throw new Error(issue === undefined ? 'is invalid' : describe(deepest(issue)));
}

function parseLimitsJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the file, including line breaks.
    const reason = error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error);
    throw new Error(`must be JSON (${reason})`, { cause: error });
  }
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
}

function deepest(issue: Issue): Issue {
  const inside = (issue.errors ?? []).flat().filter(({ path }) => path.length > 0);
  const [first] = inside;
  return first === undefined ? issue : { ...first, path: [...issue.path, ...first.path] };
}

function describe({ path, message }: Issue): string {
  return path.length === 0 ? message : `${path.map(String).join(' → ')} ${message}`;
}
