import { type CustomDecorator, SetMetadata } from '@nestjs/common';

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
