import type { Request } from 'express';

/** What a provider has sent the browser back with; a parameter that is there twice is not there. */
export class CallbackParameters {
  readonly parameters: URLSearchParams;

  constructor(request: Pick<Request, 'originalUrl'>) {
    const question = request.originalUrl.indexOf('?');
    this.parameters = new URLSearchParams(
      question < 0 ? '' : request.originalUrl.slice(question + 1),
    );
  }

  /** Value of a parameter, null when it is missing, empty or repeated. */
  one(name: string): string | null {
    const values = this.parameters.getAll(name);
    return values.length === 1 ? values[0] || null : null;
  }
}
