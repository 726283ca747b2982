import { badRequest, BadRequestError, notFound, unauthenticated } from '../../common/errors';
import { MAX_UTM_TEMPLATES } from './utm-template';

const TEMPLATE_FIELD = 'utm.template';

export class NoSuchTemplateError extends badRequest('UTM template not found', TEMPLATE_FIELD) {}

export class TemplateNeedsAccountError extends unauthenticated(
  'UTM templates need an account: sign in or use an API key',
  { field: TEMPLATE_FIELD },
) {}

/** 400: the destination exceeds the limit once utm parameters are added. */
export class TaggedUrlTooLongError extends BadRequestError {
  constructor(max: number) {
    super(`With these parameters the destination is longer than ${max} characters`, 'utm');
  }
}

export class UnknownUtmTemplateError extends notFound('UTM template not found') {}

export class UtmTemplateCapError extends badRequest(
  `An account can have at most ${MAX_UTM_TEMPLATES} UTM templates; delete one first`,
) {}

export class EmptyUtmTemplateError extends badRequest(
  'A UTM template needs at least one of source, medium, campaign, term and content',
) {}
