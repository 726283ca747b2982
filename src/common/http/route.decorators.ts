import {
  applyDecorators,
  type CustomDecorator,
  HttpCode,
  Param,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ApiFoundResponse, ApiParam, ApiResponse } from '@nestjs/swagger';
import type { ErrorCode } from '../errors';
import { answerHeaders } from '../openapi/answer-headers';
import { ERROR_KINDS, type ErrorAnswer } from '../openapi/error-answers';
import { ID_PROPERTY } from '../openapi/properties';
import { ParseIdPipe } from './parse-id.pipe';

/**
 * Path parameter with an id. Accepts upper case, although ids in responses are in lower case.
 * @example show(@IdParam("The link's ID", 'url_id') urlId: string)
 */
export function IdParam(description: string, name = 'id') {
  const schema = { type: 'string', pattern: '^[0-9a-fA-F]{24}$', example: ID_PROPERTY.example };
  const describe = ApiParam({ name, description, schema });
  return (controller: object, method: string, index: number): void => {
    Param(name, ParseIdPipe)(controller, method, index);
    describe(controller, method, Object.getOwnPropertyDescriptor(controller, method) ?? {});
  };
}

/** A request body that works unchanged, unless the alias is taken. */
interface RequestExample {
  readonly summary: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface OperationText {
  /** Method name in generated clients, for example `createLink`. */
  readonly id: string;
  readonly summary: string;
  /** Markdown. Describes what parameters and responses do not show. */
  readonly description: string;
  /** Marks the operation as deprecated. Its description or its tag contains the replacement. */
  readonly deprecated?: true;
  /** Request bodies by name. Documentation tools select the first one. */
  readonly examples?: Readonly<Record<string, RequestExample>>;
  /** Body schemas for other media types. */
  readonly otherBodies?: Readonly<Record<string, object>>;
  /** Describes HEAD if it differs from GET in more than the missing body. */
  readonly head?: Omit<OperationText, 'examples' | 'head' | 'otherBodies'>;
}

export const OPERATION = 'curtail:operation';

/** Adds a route to the API description. A test finds routes without this decorator. */
export function Operation(text: OperationText): CustomDecorator {
  return SetMetadata(OPERATION, text);
}

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
 * Declares a route's successful response, whose class must match the handler's result, and its
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
