import { AuthenticationError, BadRequestError, NotFoundError } from '../../common/errors';
import { MAX_UTM_TEMPLATES } from './utm-template';

const TEMPLATE_FIELD = 'utm.template';

export class NoSuchTemplateError extends BadRequestError {
  constructor() {
    super('There is no such UTM template', TEMPLATE_FIELD);
  }
}

export class TemplateNeedsAccountError extends AuthenticationError {
  constructor() {
    super('UTM templates need an account: sign in or use an API key', { field: TEMPLATE_FIELD });
  }
}

/** 400: the destination exceeds the limit once utm parameters are added. */
export class TaggedUrlTooLongError extends BadRequestError {
  constructor(max: number) {
    super(`With these parameters the destination is longer than ${max} characters`, 'utm');
  }
}

export class UnknownUtmTemplateError extends NotFoundError {
  constructor() {
    super('There is no such UTM template');
  }
}

export class UtmTemplateCapError extends BadRequestError {
  constructor() {
    super(`An account may have at most ${MAX_UTM_TEMPLATES} UTM templates; delete one first`);
  }
}

export class EmptyUtmTemplateError extends BadRequestError {
  constructor() {
    super('A UTM template needs at least one of source, medium, campaign, term and content');
  }
}
