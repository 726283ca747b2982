import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiFoundResponse, ApiResponse } from '@nestjs/swagger';
import type { ErrorCode } from '../errors';
import { answerHeaders } from '../openapi/answer-headers';
import { ERROR_KINDS, type ErrorAnswer } from '../openapi/error-answers';

const ERROR_ANSWERS = 'curtail:error-answers';

type Declared = number | readonly [number, ...ErrorCode[]];

/**
 * Declares a route's specific errors. Errors from its access rule and rate limit are added.
 * @example ApiErrors(400, 409, [401, 'password_required', 'invalid_password'])
 */
export function ApiErrors(...declared: Declared[]): MethodDecorator & ClassDecorator {
  return (target: object, _key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const described = (descriptor?.value ?? target) as object;
    const known = declaredErrorAnswers(described);
    Reflect.defineMetadata(ERROR_ANSWERS, [...known, ...declared.map(toErrorAnswer)], described);
  };
}

function toErrorAnswer(declared: Declared): ErrorAnswer {
  if (typeof declared !== 'number') {
    const [status, ...codes] = declared;
    return { status, codes };
  }
  return { status: declared, codes: ERROR_KINDS[declared]?.codes ?? [] };
}

export function declaredErrorAnswers(described: object): readonly ErrorAnswer[] {
  return (
    (Reflect.getOwnMetadata(ERROR_ANSWERS, described) as readonly ErrorAnswer[] | undefined) ?? []
  );
}

/**
 * Declares a route's successful response, whose class must fit the handler's result, and its
 * specific errors, as `ApiErrors`.
 * @example Returns(200, JobResponse, 'The job', 403, 404)
 */
export function Returns<Result>(
  status: 200 | 201 | 202,
  type: Type<Result>,
  description: string,
  ...errors: Declared[]
) {
  const declare = applyDecorators(
    HttpCode(status),
    ApiResponse({ status, type, description }),
    ApiErrors(...errors),
  );
  return <Method extends (...parameters: never[]) => Result | Promise<Result>>(
    controller: object,
    method: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    declare(controller, method, descriptor);
  };
}

/** Declares the redirect that replaces the page if the operator sets one (docs/contract.md#34). */
export function MayLeadElsewhere(): MethodDecorator {
  return ApiFoundResponse({
    description: "Redirect to the operator's or the domain's own page",
    headers: answerHeaders('Location'),
  });
}
