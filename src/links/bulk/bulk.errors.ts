import { BadRequestError, CurtailError, UnprocessableError } from '../../common/errors';
import { MAX_TAGS_OF_LINK } from '../../stores/tags/tag';

/** 400: more links than are changed at once. */
export class TooManyBulkLinksError extends BadRequestError {
  constructor(found: number, most: number) {
    super(`${found} links match, and at most ${most} are changed at once`, 'filter', { found });
  }
}

/** 409: other links match by now than the caller has seen. */
export class OtherLinksFoundError extends CurtailError {
  constructor(found: number, expected: number) {
    super(409, 'conflict', `${found} links match, not ${expected}: nothing was done`, {
      details: { found },
    });
  }
}

/** A link that would have more tags than it may. */
export class TooManyTagsError extends BadRequestError {
  constructor() {
    super(`A link has at most ${MAX_TAGS_OF_LINK} tags`, 'tags');
  }
}

/** Runs what judges the value of a field: a refusal names its field inside that one. */
export async function withinField<T>(field: string, judge: () => Promise<T>): Promise<T> {
  const named = (name: string | undefined): string => (name ? `${field}.${name}` : field);
  try {
    return await judge();
  } catch (error) {
    if (error instanceof UnprocessableError) {
      const problems = error.problems.map((problem) => ({
        ...problem,
        field: named(problem.field),
      }));
      throw new UnprocessableError(problems, error.hint);
    }
    if (error instanceof CurtailError && error.status === 400) {
      throw new BadRequestError(error.message, named(error.field), error.details);
    }
    throw error;
  }
}
