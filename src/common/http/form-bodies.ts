import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  urlencoded,
} from 'express';
import multer, { MulterError } from 'multer';
import { CurtailError, BadRequestError } from '../errors';
import { BODY_LIMIT, deferFaults } from './body-parsers';

/** With `MOST_FIELDS` it bounds what a multipart form of unknown length may occupy. */
const LONGEST_FIELD = 65_536;
const MOST_FIELDS = 32;
const [PLUS, SPACE] = [0x2b, 0x20];

/** Reads url-encoded and multipart forms into `request.body`; files are refused. */
export function formBodies(): RequestHandler[] {
  const limits = { fieldSize: LONGEST_FIELD, fields: MOST_FIELDS, parts: MOST_FIELDS };
  return [
    deferFaults(
      urlencoded({
        limit: BODY_LIMIT,
        extended: false,
        parameterLimit: 100,
        verify: plusesToSpaces,
      }),
    ),
    deferFaults(refusing(multer({ limits }).none())),
  ];
}

/**
 * Puts spaces for pluses, in place, before the parser does so one match at a time: with a megabyte
 * of them it would hold the event loop for a quarter of a second.
 */
function plusesToSpaces(_: IncomingMessage, __: ServerResponse, form: Buffer): void {
  for (let at = form.indexOf(PLUS); at !== -1 && at < form.length; at++) {
    if (form[at] === PLUS) form[at] = SPACE;
  }
}

/** The multipart parser's errors carry no status: they are the sender's fault. */
function refusing(parse: RequestHandler): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    void parse(request, response, (error?: unknown) => next(error && toRefusal(error)));
  };
}

function toRefusal(error: unknown): CurtailError {
  if (error instanceof MulterError && error.code === 'LIMIT_FIELD_VALUE') {
    const message = `A form field may have at most ${LONGEST_FIELD} bytes`;
    return new CurtailError(413, 'payload_too_large', message);
  }
  if (error instanceof MulterError)
    return new BadRequestError(`The form was refused: ${error.message}`);
  return new BadRequestError('The form could not be read');
}
