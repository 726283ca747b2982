import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** A request body that works as is, unless its alias is taken. */
interface RequestExample {
  readonly summary: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface OperationText {
  /** Method name in generated clients, for example `createLink`. */
  readonly id: string;
  readonly summary: string;
  /** Markdown; what parameters and responses do not show. */
  readonly description: string;
  /** The description or that of the tag names the replacement. */
  readonly deprecated?: true;
  /** Bodies by name; documentation tools preselect the first. */
  readonly examples?: Readonly<Record<string, RequestExample>>;
  /** Body schemas of further media types. */
  readonly otherBodies?: Readonly<Record<string, object>>;
  /** Set if HEAD does more than GET without a body. */
  readonly head?: Omit<OperationText, 'examples' | 'head' | 'otherBodies'>;
}

export const OPERATION = 'curtail:operation';

/** Adds a route to the API description; a test finds routes without it. */
export function Operation(text: OperationText): CustomDecorator {
  return SetMetadata(OPERATION, text);
}
