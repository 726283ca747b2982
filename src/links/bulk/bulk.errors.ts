import { badRequest, BadRequestError, CurtailError, UnprocessableError } from '../../common/errors';
import { countNoun } from '../../common/plain-text';
import { MAX_TAGS_OF_LINK } from '../../stores/tags/tag';

export class TooManyBulkLinksError extends BadRequestError {
  constructor(found: number, most: number) {
    super(
      `The filter matches ${countNoun(found, 'link')}, but at most ${most} can be changed in one request`,
      'filter',
      { found },
    );
  }
}

/** 409: the number of matching links changed after the client counted them. */
export class OtherLinksFoundError extends CurtailError {
  constructor(found: number, expected: number) {
    super(
      409,
      'conflict',
      `The filter matches ${countNoun(found, 'link')}, not ${expected}: nothing was changed`,
      {
        details: { found },
      },
    );
  }
}

export class TooManyTagsError extends badRequest(
  `A link has at most ${MAX_TAGS_OF_LINK} tags`,
  'tags',
) {}

/** Adds a prefix to the field names in errors that `judge` throws. */
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
