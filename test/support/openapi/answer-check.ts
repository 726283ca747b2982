import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020';
import type { FormatsPlugin } from 'ajv-formats';
import { isFixedSegment } from '../../../src/common/routes';
import { keptOutside, requireOutside } from '../outside';
import {
  builtDocument,
  type OpenApiDocument,
  type OperationNode,
  type ResponseNode,
  resolve,
  type SchemaNode,
} from './document';

export interface Answer {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  header(name: string): string | null;
  readonly text: string | null;
}

/** Longer bodies are not checked, because checking is slow and they repeat the same structure. */
const LONGEST_BODY = 1_000_000;
/** APIs of other shorteners, which the document does not describe (docs/contract.md#35.1). */
const COMPATIBLE = /^\/(?:api\/v2|rest\/(?:v[1-3]|health))(?:\/|$)/i;
const REDIRECT = /^30[1237]$/;

interface Template {
  readonly path: string;
  readonly pattern: RegExp;
  readonly methods: Record<string, OperationNode>;
}

export class AnswerCheck {
  private readonly document: OpenApiDocument;
  private readonly templates: Template[];
  private readonly ajv: Ajv2020;

  constructor() {
    // Compiling schemas takes longer than most tests.
    ({ document: this.document, ajv: this.ajv } = keptOutside('answer-check', () => {
      const document = closed(builtDocument());
      return { document, ajv: schemasIn(document) };
    }));
    this.templates = Object.entries(this.document.paths)
      .map(([path, methods]) => ({ path, methods, pattern: patternOf(path) }))
      .sort((a, b) => literals(b.path) - literals(a.path));
  }

  complaintsAbout(answer: Answer): string[] {
    const path = answer.target.replace(/[?#].*$/s, '');
    const method = answer.method.toLowerCase();
    // 304 is the response to `If-None-Match: *`.
    if (method === 'options' || answer.status === 304 || this.isNoApi(path)) return [];
    const templates = this.findAll(path);
    const operationOf = ({ methods }: Template) =>
      methods[method] ?? (method === 'head' ? methods.get : undefined);
    // The router continues with the next route for that path that has the method.
    const template = templates.find((each) => operationOf(each) !== undefined) ?? templates[0];
    const operation = template && operationOf(template);
    // 405 means that the router has matched another path, which does not have the method.
    if (template === undefined || operation === undefined || answer.status === 405) {
      return this.undescribed(answer);
    }
    const found = operation.responses[answer.status];
    const place = `${method.toUpperCase()} ${template.path} ${answer.status}`;
    if (found === undefined) return [`${place}: this status is not documented`];
    const response = resolve(this.document, found);
    return [
      ...this.aboutHeaders(answer, response),
      ...(method === 'head' ? [] : this.aboutBody(answer, response, [template.path, method])),
    ].map((complaint) => `${place}: ${complaint}`);
  }

  /** An undocumented path or method must be refused with the standard error format. */
  private undescribed(answer: Answer): string[] {
    if (answer.status !== 404 && answer.status !== 405 && answer.status !== 400) {
      return [`${answer.method} ${answer.target} ${answer.status} is not documented`];
    }
    if (mediaType(answer) !== 'application/json' || !answer.text) return [];
    const { code } = JSON.parse(answer.text) as { code?: unknown };
    const codes = ['not_found', 'method_not_allowed', 'validation_error'];
    return codes.includes(String(code)) ? [] : [`${answer.target}: the code is ${String(code)}`];
  }

  private isNoApi(path: string): boolean {
    const segment = (path.split('/')[1] ?? '').toLowerCase();
    const isDescribed = this.templates.some((template) => template.path.split('/')[1] === segment);
    if (COMPATIBLE.test(path)) return true;
    return isFixedSegment(segment) && !isDescribed;
  }

  private findAll(path: string): Template[] {
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    // Case-insensitive, like the router.
    const fixed = isFixedSegment((bare.split('/')[1] ?? '').toLowerCase());
    return this.templates.filter(
      (template) => !(fixed && template.path.startsWith('/{')) && template.pattern.test(bare),
    );
  }

  private aboutHeaders(answer: Answer, response: ResponseNode): string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, reference]) => {
      const { required, schema } = resolve(this.document, reference);
      const value = answer.header(name);
      if (value === null) return required === true ? [`the header ${name} is missing`] : [];
      const { pattern } = schema as { pattern?: string };
      return pattern === undefined || new RegExp(pattern).test(value)
        ? []
        : [`the header ${name} is ${value}`];
    });
  }

  private aboutBody(answer: Answer, response: ResponseNode, place: string[]): string[] {
    if (REDIRECT.test(String(answer.status))) return [];
    const type = mediaType(answer);
    if (response.content === undefined && type === '' && !answer.text) return [];
    const content = response.content ?? {};
    if (!(type in content)) return [`the media type ${type} is not documented`];
    if (type !== 'application/json' || answer.text === null) return [];
    if (answer.text.length > LONGEST_BODY) return [];
    const validate = this.validator(this.schemaPointer(place, answer.status, type));
    let body: unknown;
    try {
      body = JSON.parse(answer.text);
    } catch {
      return ['the body is not JSON'];
    }
    if (validate(body)) return [];
    const problems = (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const extra = (params as { additionalProperty?: string }).additionalProperty;
      return `${instancePath || 'the body'} ${message ?? ''}${extra === undefined ? '' : ` (${extra})`}`;
    });
    return [`${problems.join('; ')} in ${answer.text.slice(0, 500)}`];
  }

  private schemaPointer(
    [path = '', method = '']: string[],
    status: number,
    type: string,
  ): string[] {
    const found = this.document.paths[path]?.[method]?.responses[status];
    const base =
      found?.$ref === undefined
        ? ['paths', path, method, 'responses', String(status)]
        : found.$ref.slice(2).split('/');
    return [...base, 'content', type, 'schema'];
  }

  private validator(pointer: string[]): ValidateFunction {
    const steps = pointer.map((step) =>
      encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const reference = `api#/${steps.join('/')}`;
    const validate = this.ajv.getSchema(reference);
    if (validate === undefined) throw new Error(`There is no schema at ${reference}`);
    return validate;
  }
}

function schemasIn(document: OpenApiDocument): Ajv2020 {
  const { Ajv2020 } = requireOutside('ajv/dist/2020') as typeof import('ajv/dist/2020');
  const addFormats = requireOutside('ajv-formats') as FormatsPlugin;
  // The document is checked by its own tests.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  return ajv.addSchema({ ...document, $id: 'api' });
}

function mediaType(answer: Answer): string {
  return (answer.header('content-type') ?? '').split(';')[0]?.trim() ?? '';
}

function patternOf(path: string): RegExp {
  const parts = path
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? '[^/]+?' : part.replace(/[.+*?^$()[\]\\|]/g, '\\$&')));
  return new RegExp(`^${parts.join('')}$`, 'i');
}

/**
 * Returns the number of literal characters. If two templates match, the router prefers the one with
 * more literal characters.
 */
function literals(path: string): number {
  return path.replace(/\{[^}]+\}/g, '').length;
}

/** Closes every object in the document: undocumented members become mismatches. */
function closed<T>(node: T): T {
  if (Array.isArray(node)) return node.map(closed) as T;
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node).map(([key, value]) => [key, closed(value as unknown)]);
  const copy = Object.fromEntries(members) as SchemaNode;
  const isOpen = copy.type === 'object' && copy.additionalProperties === undefined;
  return (isOpen && 'properties' in copy ? { ...copy, additionalProperties: false } : copy) as T;
}
