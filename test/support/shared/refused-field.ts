import type { Type } from '@nestjs/common';
import { CurtailError, UnprocessableError } from '../../../src/common/errors';
import { RequestValidationPipe } from '../../../src/common/http/validation.pipe';

const pipe = new RequestValidationPipe();

/** Returns the first field that the DTO rejects with 422; null if the body is valid. */
export async function refusedField(metatype: Type, body: unknown): Promise<string | null> {
  try {
    await pipe.transform(body, { type: 'body', metatype });
    return null;
  } catch (error) {
    if (!(error instanceof CurtailError) || error.status !== 422) throw error;
    const [problem] = error instanceof UnprocessableError ? error.problems : [];
    return problem?.field ?? error.field ?? null;
  }
}
